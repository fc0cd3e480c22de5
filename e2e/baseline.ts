import type { Figures } from "./figures.ts";

/** A report file: the house form of a bench, and beside `figures` the band that each may lie in. */
export interface ReportFile {
  bench: string;
  machine: { cpu: string; cores: number; memory_gib: number };
  /** Processes that wanted a core when the run began, over the last minute. */
  load: number;
  versions: Record<string, string>;
  figures: Record<string, number>;
  bands: Record<string, [low: number, high: number]>;
}

/** A figure beside the baseline's; `verdict` is empty where there is nothing to compare. */
export interface Row {
  name: string;
  value: number;
  band: [low: number, high: number] | undefined;
  baseline: number | undefined;
  ratio: number | undefined;
  verdict: "" | "within noise" | "better" | "worse";
}

/** More than so many times the baseline, and by so many milliseconds: small times double for any reason. */
const FAR_WORSE = { times: 2, ms: 5 };

/** `figures` rounded, with their bands where they have any. */
export function columns(figures: Figures): Pick<ReportFile, "figures" | "bands"> {
  const entries = Object.entries(figures);
  return {
    figures: Object.fromEntries(entries.map(([name, { value }]) => [name, round(value)])),
    bands: Object.fromEntries(
      entries.flatMap(([name, { low, high }]) => (low < high ? [[name, [round(low), round(high)] as const]] : [])),
    ) as ReportFile["bands"],
  };
}

/** Each figure beside the baseline's: only where their bands do not touch has anything changed. Less is better. */
export function compare(now: ReportFile, baseline: ReportFile | undefined): Row[] {
  return Object.entries(now.figures).map(([name, value]): Row => {
    const band = now.bands[name];
    const before = baseline?.figures[name];
    const bandBefore = baseline?.bands[name];
    const ratio = before ? round(value / before) : undefined;
    if (!band || !bandBefore) return { name, value, band, baseline: before, ratio, verdict: "" };
    const verdict = band[0] > bandBefore[1] ? "worse" : band[1] < bandBefore[0] ? "better" : "within noise";
    return { name, value, band, baseline: before, ratio, verdict };
  });
}

/** What is far worse than on this very machine before; of another machine, or a busy one, nothing can be said. */
export function farWorse(rows: readonly Row[], now: ReportFile, baseline: ReportFile | undefined): string[] {
  const same = JSON.stringify(now.machine) === JSON.stringify(baseline?.machine);
  if (!same || now.load >= now.machine.cores) return [];
  return rows
    .filter(({ verdict, value, baseline: before = 0 }) => {
      return verdict === "worse" && value > FAR_WORSE.times * before && value > before + FAR_WORSE.ms;
    })
    .map((row) => row.name);
}

/** The rows as a Markdown table. */
export function table(bench: string, rows: readonly Row[]): string {
  const head = `| ${bench} | now | band | baseline | ratio | |\n|---|---:|---:|---:|---:|---|`;
  const lines = rows.map(
    ({ name, value, band, baseline, ratio, verdict }) =>
      `| ${[name, value, band?.join(" to ") ?? "", baseline ?? "", ratio ?? "", verdict].join(" | ")} |`,
  );
  return [head, ...lines].join("\n");
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
