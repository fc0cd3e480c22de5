import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { arrive, DONE, firstText, MARKS, startedReply, wholeReply } from "../../test/reply";
import { ReplyClock } from "./clock";
import { leaveMeasures } from "./measures";
import { replyReport } from "./reply";

const UNTOLD = {
  capture: null,
  connection: null,
  routing: null,
  admission: null,
  prefill: null,
  decode: null,
  assembly: null,
  unaccounted: null,
};
const NO_RESOURCE_TIMING = "The browser told nothing of its connection (Resource Timing).";
const NO_LAST_FIGURES = "without the server's last figures: tokens in and cached are not known.";

function later(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

describe("the report of a reply", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("says all that is known of it", () => {
    const clock = wholeReply();
    clock.stream = { requestStart: 1_003, protocol: "h2", reused: true, bytes: 400, decodedBytes: 1_000 };
    expect(replyReport(clock)).toEqual({
      id: "r1",
      generation: "gen-1",
      model: "m",
      state: "done",
      asked_at: new Date(clock.wall + 1_000).toISOString(),
      ttft_ms: 77,
      ttft: { byte_ms: 69, parse_ms: 69.5, paint_ms: 77 },
      rows: {
        capture: 1,
        connection: 8 + 0.5 + 1,
        routing: 0.5,
        admission: 1,
        prefill: 52,
        decode: 1,
        assembly: 2 + 8,
        unaccounted: 2,
      },
      missing: [],
      usage: { prompt_tokens: 1_204, completion_tokens: 12, cached_tokens: 4 },
      prompt_tokens: 1_204,
      tokens: 12,
      tokens_per_s: 100,
      itl_ms: { p50: 10, p95: 10, p99: 10 },
      itl_histogram: expect.arrayContaining([
        { upto_ms: 7, tokens: 0 },
        { upto_ms: 10, tokens: 11 },
        { upto_ms: null, tokens: 0 },
      ]),
      paint_ms: { p50: 10, p95: 70 },
      chunks: 3,
      tokens_per_chunk: 4,
      wire: { request_header_bytes: 612, bytes: 400, decoded_bytes: 1_000, ratio: 2.5, protocol: "h2", reused: true },
      dropped_frames: 3,
      clock: { accepted_at_ms: 1_006, error_ms: 3.1 },
      page: {
        keydown: 1_000,
        sent: 1_001,
        answered: 1_014,
        started: 1_015.5,
        read: 1_069,
        parsed: 1_069.5,
        committed: 1_070,
        painted: 1_077,
        ended: 1_191,
      },
      server: MARKS,
      timeline: [
        { read: 1_069, parsed: 1_069.5, painted: 1_077, at: 58, tokens: 1 },
        { read: 1_119, parsed: 1_119.5, painted: 1_189, at: 109, tokens: 5 },
        { read: 1_179, parsed: 1_179.5, painted: 1_189, at: 170, tokens: 6 },
      ],
    });
  });

  it("tells while nothing is painted what is known so far", () => {
    const { rows, ttft_ms, missing } = replyReport(startedReply());
    expect({ rows, ttft_ms, missing }).toEqual({
      rows: { ...UNTOLD, capture: 1, connection: 8 + 1.5, routing: 0.5, admission: 1 },
      ttft_ms: null,
      missing: ["The first word is not painted yet."],
    });
  });

  it("invents nothing for a reply that was stopped before its first word", () => {
    const clock = startedReply();
    clock.ended(1_040, "stopped", undefined);
    const { rows, ttft, missing } = replyReport(clock);
    expect({ rows, ttft, missing }).toEqual({
      rows: { ...UNTOLD, capture: 1, connection: 8 + 1.5, routing: 0.5, admission: 1 },
      ttft: { byte_ms: null, parse_ms: null, paint_ms: null },
      missing: [
        "It ended (stopped) before its first word.",
        `It ended (stopped) ${NO_LAST_FIGURES}`,
        NO_RESOURCE_TIMING,
      ],
    });
  });

  it("keeps the waterfall of a reply that fails after its first word", () => {
    const clock = startedReply();
    firstText(clock);
    clock.ended(1_100, "interrupted", undefined);
    const { rows, missing } = replyReport(clock);
    expect(Object.values(rows)).not.toContain(null);
    expect(missing).toEqual([`It ended (interrupted) ${NO_LAST_FIGURES}`, NO_RESOURCE_TIMING]);
  });

  it("does not say when a word was seen that came to a hidden page", () => {
    const clock = startedReply();
    clock.visibility(true, 1_020);
    clock.visibility(false, 1_060);
    firstText(clock);
    const { rows, ttft, missing } = replyReport(clock);
    expect({ assembly: rows.assembly, prefill: rows.prefill, ttft, missing }).toEqual({
      assembly: null,
      prefill: 52,
      ttft: { byte_ms: 69, parse_ms: 69.5, paint_ms: null },
      missing: ["The page was hidden before the first word was painted: when it was seen is not known."],
    });
  });

  it("does not count the paints and frames of a page that is hidden later", () => {
    const clock = startedReply();
    firstText(clock);
    clock.visibility(true, 1_080);
    arrive(clock, { seq: 2, text: "b", tokens: 1, at: 100 }, 1_110);
    clock.visibility(false, 9_000);
    clock.painted(2, 9_010);
    const { ttft_ms, paint_ms, dropped_frames, missing } = replyReport(clock);
    expect({ ttft_ms, paint_ms, dropped_frames, missing }).toEqual({
      ttft_ms: 77,
      paint_ms: { p50: 8, p95: 8 },
      dropped_frames: 0,
      missing: ["The page was hidden for a while: paints of that time are not counted."],
    });
  });

  it.each([2_000, -2_000])("tells no times once a clock has jumped by %i ms", (by) => {
    const clock = startedReply();
    later(by);
    firstText(clock);
    const { rows, ttft, itl_ms, tokens_per_s, clock: joined, missing } = replyReport(clock);
    expect({ rows, ttft, itl_ms, tokens_per_s, joined, missing }).toEqual({
      rows: UNTOLD,
      ttft: { byte_ms: null, parse_ms: null, paint_ms: null },
      itl_ms: { p50: null, p95: null, p99: null },
      tokens_per_s: null,
      joined: { accepted_at_ms: null, error_ms: null },
      missing: ["A clock jumped while it came, or the machine slept: no times can be told."],
    });
  });

  it("says that a reply whose token was refused was sent twice, and counts that as capture", () => {
    const clock = new ReplyClock("r1", 1_000);
    clock.sent(1_001);
    clock.sent(1_031);
    const { rows, missing } = replyReport(clock);
    expect({ capture: rows.capture, missing }).toEqual({
      capture: 31,
      missing: [
        "The page signed in again before it was sent; the time for that is in capture.",
        "The first word is not painted yet.",
      ],
    });
  });

  it("names the stages that a server gives no marks for", () => {
    const clock = new ReplyClock("r1", 1_000);
    clock.sent(1_001);
    arrive(clock, { seq: 1, text: "a", tokens: 1 }, 1_050);
    clock.painted(1, 1_060);
    const { rows, missing } = replyReport(clock);
    expect({ rows, missing }).toEqual({
      rows: { ...UNTOLD, capture: 1 },
      missing: [
        "The server did not say when its events left.",
        "The server's marks for connection, routing, admission, prefill, decode are missing.",
      ],
    });
  });

  it("says of a row below zero that a clock is wrong, and of no other", () => {
    const clock = startedReply();
    const timing = { first_token: 1, first_text: 56, first_byte: 58 };
    arrive(clock, { seq: 1, text: "a", tokens: 1, at: 58, timing }, 1_069);
    clock.painted(1, 1_077);
    const { rows, missing } = replyReport(clock);
    expect({ prefill: rows.prefill, missing }).toEqual({
      prefill: null,
      missing: ["The row prefill came out below zero: a clock jumped, or runs unevenly."],
    });
  });

  it("ui-C35: counts from the first text, not from an empty first event", () => {
    const clock = startedReply();
    arrive(clock, { seq: 0, text: "", tokens: 0, at: 20 }, 1_050);
    arrive(clock, { seq: 1, text: "a", tokens: 1, at: 770 }, 1_800);
    expect(clock.page.read).toBe(1_800);
  });

  it("counts a last token without text, which the end alone tells of", () => {
    const clock = startedReply();
    firstText(clock);
    clock.ended(1_100, "done", { ...DONE, seq: 2 });
    expect(replyReport(clock).tokens).toBe(2);
  });

  it("hides a rate below ten tokens", () => {
    const clock = startedReply();
    for (let seq = 1; seq <= 9; seq += 1) arrive(clock, { seq, text: "a", tokens: 1 }, seq * 10);
    expect(clock.chunks.count().tokensPerSecond).toBeNull();
    arrive(clock, { seq: 10, text: "a", tokens: 1 }, 100);
    expect(clock.chunks.count().tokensPerSecond).toBe(100);
  });

  it("keeps few entries of a reply of 100,000 tokens, says so, and loses no token", () => {
    const clock = startedReply();
    firstText(clock);
    for (let seq = 2; seq <= 100_000; seq += 1) {
      arrive(clock, { seq, text: "a", tokens: 1, at: seq * 10 }, 1_069 + seq * 10);
      clock.painted(seq, 1_079 + seq * 10);
    }
    const { timeline, tokens, chunks, itl_ms, missing } = replyReport(clock);
    expect(timeline.length).toBeLessThanOrEqual(2_048);
    expect(timeline.reduce((sum, entry) => sum + entry.tokens, 0)).toBe(100_000);
    expect({ tokens, chunks, p50: itl_ms.p50, missing }).toEqual({
      tokens: 100_000,
      chunks: 100_000,
      p50: 10,
      missing: ["The timeline is thinned out: each entry stands for 64 chunks."],
    });
  });

  it("adds up to the time from the keydown to the paint, whatever the times", () => {
    const span = fc.double({ min: 0, max: 1e5, noNaN: true });
    fc.assert(
      fc.property(fc.array(span, { minLength: 6, maxLength: 6 }), fc.array(span, { maxLength: 5 }), (spans, later) => {
        const [capture = 0, network = 0, late = 0, parse = 0, paint = 0, offset = 0] = spans;
        const clock = new ReplyClock("r1", offset);
        clock.sent(offset + capture);
        const read = offset + capture + network + late + 58;
        clock.delta({ seq: 1, text: "a", tokens: 1, timing: MARKS, at: 58 }, { read, parsed: read + parse });
        clock.painted(1, read + parse + paint);
        for (const at of later) arrive(clock, { seq: 1, text: "", tokens: 0, at }, read + at);
        const { rows, ttft_ms } = replyReport(clock);
        const total = Object.values(rows).reduce<number>((sum, row) => sum + (row ?? Number.NaN), 0);
        expect(total).toBeCloseTo(ttft_ms ?? Number.NaN, 6);
      }),
    );
  });
});

it("leaves a measure under each of the seven words; what is unaccounted is the gap before assembly", () => {
  performance.clearMeasures();
  leaveMeasures(replyReport(wholeReply()));
  const measures = performance
    .getEntriesByType("measure")
    .map(({ name, startTime, duration }) => [name, startTime, duration]);
  expect(measures.sort((a, b) => Number(a[1]) - Number(b[1]))).toEqual([
    ["capture", 1_000, 1],
    ["connection", 1_001, 9.5],
    ["routing", 1_010.5, 0.5],
    ["admission", 1_011, 1],
    ["prefill", 1_012, 52],
    ["decode", 1_064, 1],
    ["assembly", 1_067, 10],
  ]);
});
