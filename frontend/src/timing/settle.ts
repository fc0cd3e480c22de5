import { whenIdle } from "../idle";
import { postTiming } from "./beacon";
import type { ReplyClock } from "./clock";
import type { Ledger } from "./ledger";
import { leaveMeasures } from "./measures";
import { told } from "./missing";

/** Resource Timing comes a little after the end of a stream. */
const LATE_NEWS_MS = 200;

/** What can wait until a reply is over and painted: User Timing, and the beacon where the server asked for one. */
export function settle(clock: ReplyClock, ledger: Ledger, token: () => string): void {
  if (!clock.settle()) return;
  const conclude = () => {
    // The rows alone: a whole report costs more, and may never be asked for.
    leaveMeasures({ rows: told(clock).rows, page: { ...clock.page }, generation: clock.start?.generation ?? null });
    const report = clock.start?.report && ledger.report(clock.id);
    if (report) void postTiming(report, token());
  };
  setTimeout(() => whenIdle(conclude), LATE_NEWS_MS);
}
