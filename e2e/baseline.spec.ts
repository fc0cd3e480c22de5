import { expect, test } from "@playwright/test";
import { columns, compare, farWorse, type ReportFile, table } from "./baseline.ts";
import { exactly, percentile, quantile } from "./figures.ts";

const machine = { cpu: "one", cores: 2, memory_gib: 8 };

function report(figures: Record<string, [low: number, value: number, high: number]>): ReportFile {
  const measured = Object.entries(figures).map(([name, [low, value, high]]) => [name, { low, value, high }]);
  return { bench: "latency", machine, load: 0.5, versions: {}, ...columns(Object.fromEntries(measured)) };
}

test("a percentile lies between its neighbours, and its band holds the ranks that chance leaves open", () => {
  const values = Array.from({ length: 101 }, (_, index) => 100 - index);
  expect([0, 0.5, 0.95, 1].map((share) => percentile(values, share))).toEqual([0, 50, 95, 100]);
  expect(percentile([1, 2], 0.5)).toBe(1.5);
  const { value, low, high } = quantile(values, 0.5);
  expect([low, value, high].map(Math.round)).toEqual([40, 50, 60]);
  expect(quantile([7], 0.95)).toEqual(exactly(7));
});

test("a figure has changed only where its band and the baseline's do not touch", () => {
  const now = report({ same_ms: [9, 10, 11], up_ms: [30, 31, 32], down_ms: [1, 2, 3], new_ms: [1, 2, 3] });
  const before = report({ same_ms: [10, 12, 14], up_ms: [9, 10, 11], down_ms: [4, 5, 6] });
  const rows = compare(now, before);
  expect(rows.map(({ name, ratio, verdict }) => [name, ratio, verdict])).toEqual([
    ["same_ms", 0.833, "within noise"],
    ["up_ms", 3.1, "worse"],
    ["down_ms", 0.4, "better"],
    ["new_ms", undefined, ""],
  ]);
  expect(table("latency", rows).split("\n").slice(2, 4)).toEqual([
    "| same_ms | 10 | 9 to 11 | 12 | 0.833 | within noise |",
    "| up_ms | 31 | 30 to 32 | 10 | 3.1 | worse |",
  ]);
});

test("far worse than the baseline fails on the same machine alone, while it is quiet", () => {
  const now = report({ slow_ms: [30, 31, 32], a_little_ms: [12, 13, 14], tiny_ms: [3, 3.1, 3.2] });
  const before = report({ slow_ms: [9, 10, 11], a_little_ms: [9, 10, 11], tiny_ms: [0.9, 1, 1.1] });
  const elsewhere = { ...before, machine: { ...machine, cores: 64 } };
  const failing = [before, elsewhere, undefined].map((baseline) => farWorse(compare(now, baseline), now, baseline));
  expect(failing).toEqual([["slow_ms"], [], []]);
  expect(farWorse(compare(now, before), { ...now, load: 2 }, before)).toEqual([]);
});
