import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const REPORT = path.resolve(import.meta.dirname, "report");

/** The value below which `share` of `values` lie, by linear interpolation; `values` must not be empty. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)];
  const above = sorted[Math.ceil(at)];
  if (below === undefined || above === undefined) throw new Error("no values");
  return below + (above - below) * (at - Math.floor(at));
}

/** Writes `report/NAME.json` in the form of `firstlight bench --json`, and prints the figures as a Markdown table. */
export function writeFigures(name: string, browser: string, figures: Record<string, number>, more: object = {}): void {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([key, value]) => [key, Math.round(value * 1000) / 1000]),
  );
  const machine = {
    cpu: os.cpus()[0]?.model ?? "unknown",
    cores: os.cpus().length,
    memory_gib: Math.round(os.totalmem() / 2 ** 30),
  };
  const versions = { browser, node: process.versions.node };
  mkdirSync(REPORT, { recursive: true });
  writeFileSync(
    path.join(REPORT, `${name}.json`),
    JSON.stringify({ bench: name, machine, versions, figures: rounded, ...more }, null, 2),
  );
  const rows = Object.entries(rounded).map(([key, value]) => `| ${key} | ${value} |`);
  console.log([`| ${name} | |`, "|---|---:|", ...rows].join("\n"));
}
