import type { Rows } from "./rows";
import { STAGES, type Stage } from "./stages";

/** One row: where its bar begins and how long it is, as shares of the width. */
export interface Row {
  stage: Stage;
  start: number;
  length: number;
}

/** Lays the stages end to end on a width that is the time to the first paint. */
export function laid(rows: Rows): Row[] {
  const total = STAGES.reduce((sum, stage) => sum + (rows[stage] ?? 0), 0);
  let at = 0;
  return STAGES.map((stage) => {
    const length = total > 0 ? (rows[stage] ?? 0) / total : 0;
    const start = at;
    at += length;
    return { stage, start, length };
  });
}
