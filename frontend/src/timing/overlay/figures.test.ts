import { describe, expect, it } from "vitest";
import { wholeReply } from "../../../test/reply";
import { duration } from "../format";
import { replyReport } from "../reply";
import type { ReplyReport } from "../report";
import { budgetOf, isOverBudget } from "./budget";
import { difference } from "./difference";
import { inWords, trimmed } from "./histogram";
import { counted, spreads } from "./session-figures";
import { summary } from "./summary";
import { points } from "./trend";

const whole = replyReport(wholeReply());
const reply = (news: Partial<ReplyReport>): ReplyReport => ({ ...whole, ...news });

describe("the line below a reply", () => {
  it("tells the first word and the rate, or as much as is known", () => {
    const unseen = { ttft_ms: null, tokens_per_s: null };
    expect([
      summary(reply({ ttft_ms: 58, tokens_per_s: 41.2 })),
      summary(reply({ ttft_ms: 58, tokens_per_s: null, tokens: 1 })),
      summary(reply({ ...unseen, tokens: 0 })),
    ]).toEqual(["58 ms to first word · 41 tokens/s", "58 ms to first word · 1 token", "no time to first word"]);
  });
});

describe("a budget", () => {
  it("of what is unaccounted grows with the whole; the others stand", () => {
    const budgets = [20, 200].map((ttft_ms) => [
      budgetOf("unaccounted", { ttft_ms }),
      budgetOf("routing", { ttft_ms }),
    ]);
    expect(budgets).toEqual([
      [3, 3],
      [10, 3],
    ]);
  });

  it("is exceeded by more than it alone, and never by what is not told", () => {
    const routing = (ms: number | null) => isOverBudget("routing", reply({ rows: { ...whole.rows, routing: ms } }));
    expect([3, 3.01, null].map(routing)).toEqual([false, true, false]);
  });
});

describe("the session", () => {
  const untold = reply({ id: "untold", ttft_ms: null, state: "stopped" });
  const live = reply({ id: "live", ttft_ms: null, state: "waiting" });

  it("counts the last whole replies, and says how many others are over", () => {
    expect(counted([whole, whole, untold, live], 2)).toEqual({ whole: [whole], leftOut: 1 });
  });

  it("takes percentiles of the first word, the gap and each row", () => {
    const replies = [10, 30, 20].map((ttft_ms) => reply({ ttft_ms, rows: { ...whole.rows, prefill: ttft_ms - 5 } }));
    const [first, gap, ...rows] = spreads(replies);
    expect([first, gap?.p50, rows.find(({ name }) => name === "prefill")]).toEqual([
      { name: "first word", p50: 20, p95: 30 },
      whole.itl_ms.p50,
      { name: "prefill", p50: 15, p95: 25 },
    ]);
  });

  it("has dashes for an empty one", () => {
    expect(new Set(spreads([]).flatMap(({ p50, p95 }) => [p50, p95]))).toEqual(new Set([null]));
  });
});

it("tells a difference with its sign", () => {
  expect([
    difference(10, 22, duration),
    difference(22, 10, duration),
    difference(10, 10, duration),
    difference(null, 10, duration),
  ]).toEqual(["+12 ms", "−12 ms", "0.00 ms", "–"]);
});

it("shows the gaps between the smallest and the largest, and says them in words", () => {
  const bins = [0, 8, 0, 4, 0].map((tokens, index) => ({ upto_ms: index === 3 ? null : (index + 1) * 10, tokens }));
  expect(inWords(trimmed(bins))).toBe("8 up to 20 ms, 4 longer");
  expect(trimmed(bins)).toEqual(bins.slice(1, 4));
  expect(trimmed([])).toEqual([]);
});

it("draws the trend from edge to edge above zero", () => {
  expect(points([50, 100, 0])).toBe("0,12 50,1 100,23");
});
