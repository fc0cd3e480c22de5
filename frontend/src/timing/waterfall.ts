import { type Durations, STAGES, type Stage } from "./stages";

/** One row: where its bar begins and how long it is, as shares of the width; `open` runs on beyond the first paint. */
export interface Row {
  stage: Stage;
  start: number;
  length: number;
  open: boolean;
}

/**
 * Lays the stages end to end on a width that is the time to the first paint. Decoding begins with the first token, beside
 * assembly, and goes on after the paint: its bar runs to the edge.
 */
export function rows(durations: Durations): Row[] {
  const upToPaint = STAGES.filter((stage) => stage !== "decode");
  const total = upToPaint.reduce((sum, stage) => sum + (durations[stage] ?? 0), 0);
  let at = 0;
  return STAGES.map((stage) => {
    const start = total > 0 ? at / total : 0;
    if (stage === "decode") return { stage, start, length: durations.decode === null ? 0 : 1 - start, open: true };
    const length = total > 0 ? (durations[stage] ?? 0) / total : 0;
    at += durations[stage] ?? 0;
    return { stage, start, length, open: false };
  });
}
