import type { ReplyReport } from "./report";
import { STAGES } from "./stages";

/**
 * Leaves User Timing measures under the seven words, laid end to end from the keydown on; assembly ends at the paint, so
 * what is unaccounted is the gap before it.
 */
export function leaveMeasures({ rows, page, generation }: Pick<ReplyReport, "rows" | "page" | "generation">): void {
  let start = page["keydown"] ?? 0;
  for (const stage of STAGES) {
    const duration = rows[stage];
    if (duration === null) continue;
    if (stage === "assembly") start = Math.max(start, (page["painted"] ?? start) - duration);
    performance.measure(stage, { start, duration, detail: { generation } });
    start += duration;
  }
}
