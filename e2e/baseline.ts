import type { Figures } from "./figures.ts";

/** A report file: the house form of a bench, and beside `figures` the band that each may lie in. */
export interface ReportFile {
  bench: string;
  machine: { cpu: string; cores: number; memory_gib: number };
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

/** So many times the baseline is more than a machine's mood, if it is the same machine. */
const FAR_WORSE = 2;

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

/** What is more than twice as slow as on this very machine before; on another one nothing can be said. */
export function farWorse(rows: readonly Row[], now: ReportFile, baseline: ReportFile | undefined): string[] {
  if (JSON.stringify(now.machine) !== JSON.stringify(baseline?.machine)) return [];
  return rows.filter((row) => row.verdict === "worse" && (row.ratio ?? 0) > FAR_WORSE).map((row) => row.name);
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
