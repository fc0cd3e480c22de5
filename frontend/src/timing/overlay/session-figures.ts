import { percentile } from "../percentile";
import type { ReplyReport } from "../report";
import { ROWS } from "../rows";

/** One line of the session's table: milliseconds over the replies that count. */
export interface Spread {
  name: string;
  p50: number | null;
  p95: number | null;
}

/** The last `limit` replies that are over: those of which the whole waterfall is told, and how many are not. */
export function counted(replies: readonly ReplyReport[], limit: number): { whole: ReplyReport[]; leftOut: number } {
  const over = replies.filter(({ state }) => state !== "waiting" && state !== "streaming").slice(-limit);
  const whole = over.filter(isWhole);
  return { whole, leftOut: over.length - whole.length };
}

/** Percentiles of the first word, of the usual gap between tokens, and of each row. */
export function spreads(replies: readonly ReplyReport[]): Spread[] {
  const spread = (name: string, of: (reply: ReplyReport) => number | null): Spread => {
    const samples = replies.flatMap((reply) => {
      const value = of(reply);
      return value === null ? [] : [{ value, weight: 1 }];
    });
    return { name, p50: percentile(samples, 0.5), p95: percentile(samples, 0.95) };
  };
  return [
    spread("first word", ({ ttft_ms }) => ttft_ms),
    spread("token gap", ({ itl_ms }) => itl_ms.p50),
    ...ROWS.map((row) => spread(row, ({ rows }) => rows[row])),
  ];
}

function isWhole({ ttft_ms, rows }: ReplyReport): boolean {
  return ttft_ms !== null && ROWS.every((row) => rows[row] !== null);
}
