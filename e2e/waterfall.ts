import { expect } from "@playwright/test";
import type { ReplyReport } from "../frontend/src/timing/report.ts";

/** The rows of a waterfall, top to bottom. */
export const ROWS = [
  "capture",
  "connection",
  "routing",
  "admission",
  "prefill",
  "decode",
  "assembly",
  "unaccounted",
] as const;
export type Row = (typeof ROWS)[number];
export type Waterfall = Record<Row, number>;

/** A display frame at 60 Hz, milliseconds. */
export const FRAME_MS = 1000 / 60;

/** The strict bars hold on a quiet machine (`make test-long`); elsewhere the wall clock is not the product's own. */
export const LONG = Boolean(process.env["LONG"]);

/** The rows of a reply that must have them all: none negative, and together keydown to paint. */
export function waterfall(reply: ReplyReport): Waterfall {
  const rows = Object.fromEntries(ROWS.map((row) => [row, known(reply.rows[row])])) as Waterfall;
  for (const row of ROWS) expect(rows[row], row).toBeGreaterThanOrEqual(0);
  expect(Object.values(rows).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(known(reply.ttft_ms), 6);
  return rows;
}

/** A figure that must be there. */
export function known(value: number | null | undefined): number {
  expect(value ?? null).not.toBeNull();
  return value ?? Number.NaN;
}
