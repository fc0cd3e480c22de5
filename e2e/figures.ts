import type { TestInfo } from "@playwright/test";

/** A measured value; measured anew in as many rounds, it would lie between `low` and `high` in 95 of 100 cases. */
export interface Figure {
  value: number;
  low: number;
  high: number;
}

/** Figures by name, `name_unit_stat`. */
export type Figures = Record<string, Figure>;

/** What one test hands to the report. */
export interface Recorded {
  browser: string;
  figures: Figures;
  /** Whatever else the report is to say. */
  more: object;
}

export const ATTACHMENT = "figures";

/** The value below which `share` of `values` lie, by linear interpolation; `values` must not be empty. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)];
  const above = sorted[Math.ceil(at)];
  if (below === undefined || above === undefined) throw new Error("no values");
  return below + (above - below) * (at - Math.floor(at));
}

/** A percentile with its noise: ranks that a binomial count leaves open, whatever the distribution. */
export function quantile(values: readonly number[], share: number): Figure {
  const open = 1.96 * Math.sqrt((share * (1 - share)) / values.length);
  return {
    value: percentile(values, share),
    low: percentile(values, Math.max(0, share - open)),
    high: percentile(values, Math.min(1, share + open)),
  };
}

/** A figure without noise, such as a count. */
export function exactly(value: number): Figure {
  return { value, low: value, high: value };
}

/** Hands figures of a test to the report of its project (`figures-reporter.ts`). */
export function record(test: TestInfo, browser: string, figures: Figures, more: object = {}): Promise<void> {
  const recorded: Recorded = { browser, figures, more };
  return test.attach(ATTACHMENT, { contentType: "application/json", body: JSON.stringify(recorded) });
}
