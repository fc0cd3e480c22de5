import { beforeEach, describe, expect, it } from "vitest";
import type { Marks } from "../wire/types.gen";
import { ReplyClock } from "./clock";
import { Ledger } from "./ledger";

const queued: Marks = { accepted: 0, body: 2, shaped: 3, tokenised: 4, queued: 5 };
const finished: Marks = { ...queued, first_token: 55, first_byte: 56, finished: 255 };
const usage = { prompt_tokens: 12, completion_tokens: 12, cached_tokens: 4 };

/** A reply of 12 tokens: one, then five in 50 ms, then six in 60 ms. */
function reply(): ReplyClock {
  const clock = new ReplyClock(1_000);
  clock.mark("sent", 1_001);
  clock.mark("answered", 1_016);
  clock.started({ generation: "gen-1", seq: 0, model: "m", prompt_tokens: 12, timing: queued }, 1_017);
  clock.delta({ seq: 1, text: "a", tokens: 1, timing: { first_token: 55 } }, 1_070);
  clock.painted(1, 1_078);
  clock.delta({ seq: 6, text: "b", tokens: 5 }, 1_120);
  clock.delta({ seq: 12, text: "c", tokens: 6 }, 1_180);
  clock.painted(3, 1_190);
  const done = { seq: 12, finish_reason: "stop" as const, usage, timing: finished, sha256: "" };
  clock.ended(1_181, "done", done);
  return clock;
}

describe("the clock of a reply", () => {
  beforeEach(() => performance.clearMeasures());

  it("reports what tools read", () => {
    const ledger = new Ledger();
    ledger.add(reply());
    expect(ledger.report()).toEqual({
      replies: [
        {
          generation: "gen-1",
          state: "done",
          ttft_ms: 78,
          tokens: 12,
          tokens_per_s: 100,
          itl_ms: { p50: 10, p95: 10 },
          paint_ms: { p50: 10, p95: 70 },
          marks: { capture: 1, connection: 10, routing: 2, admission: 1, prefill: 52, decode: 200, assembly: 9 },
          page: {
            keydown: 1_000,
            sent: 1_001,
            answered: 1_016,
            started: 1_017,
            parsed: 1_070,
            painted: 1_078,
            ended: 1_181,
          },
          server: finished,
        },
      ],
    });
  });

  it("says nothing of stages whose marks are missing", () => {
    const clock = new ReplyClock(1_000);
    clock.mark("sent", 1_002);
    expect(clock.durations).toEqual({
      capture: 2,
      connection: null,
      routing: null,
      admission: null,
      prefill: null,
      decode: null,
      assembly: null,
    });
    expect({ ttft: clock.ttft, gap: clock.interTokenLatency(0.5) }).toEqual({ ttft: null, gap: null });
  });

  it("ui-C35: counts from the first text, not from an empty first event", () => {
    const clock = new ReplyClock(0);
    clock.delta({ seq: 0, text: "", tokens: 0 }, 50);
    clock.delta({ seq: 1, text: "a", tokens: 1 }, 800);
    expect(clock.page.parsed).toBe(800);
  });

  it("hides a rate below ten tokens", () => {
    const clock = new ReplyClock(0);
    for (let seq = 1; seq <= 9; seq += 1) clock.delta({ seq, text: "a", tokens: 1 }, seq * 10);
    expect(clock.tokensPerSecond).toBeNull();
    clock.delta({ seq: 10, text: "a", tokens: 1 }, 100);
    expect(clock.tokensPerSecond).toBe(100);
  });

  it("keeps the first setting of a mark", () => {
    const clock = new ReplyClock(0);
    clock.mark("sent", 1);
    clock.mark("sent", 9);
    expect(clock.page.sent).toBe(1);
  });

  it("leaves a measure under each of the seven words", () => {
    reply().measure();
    const measures = performance
      .getEntriesByType("measure")
      .map(({ name, startTime, duration }) => [name, startTime, duration]);
    expect(measures.sort((a, b) => Number(a[1]) - Number(b[1]))).toEqual([
      ["capture", 1_000, 1],
      ["connection", 1_001, 10],
      ["routing", 1_011, 2],
      ["admission", 1_013, 1],
      ["prefill", 1_014, 52],
      ["decode", 1_066, 200],
      ["assembly", 1_066, 9],
    ]);
  });

  it("keeps the last fifty replies", () => {
    const ledger = new Ledger();
    for (let at = 1; at <= 60; at += 1) ledger.add(new ReplyClock(at));
    expect(ledger.clocks.value.map((clock) => clock.page.keydown)).toEqual(
      Array.from({ length: 50 }, (_, at) => at + 11),
    );
  });
});
