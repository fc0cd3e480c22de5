import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrive, firstText, startedReply, wholeReply } from "../../test/reply";
import { replyReport } from "./reply";
import { toTrace } from "./trace";

function spans(trace: ReturnType<typeof toTrace>) {
  return trace.traceEvents.flatMap((event) => (event.ph === "X" ? [event] : []));
}

describe("the trace", () => {
  it("names its threads", () => {
    const names = toTrace([]).traceEvents.map(({ ph, name, tid, args }) => ({ ph, name, tid, args }));
    expect(names).toEqual([
      { ph: "M", name: "process_name", tid: 0, args: { name: "First Light" } },
      ...["page", "network", "server", "engine"].map((name, tid) => ({
        ph: "M",
        name: "thread_name",
        tid,
        args: { name },
      })),
    ]);
  });

  it("has everything that took time, on the page's clock, in microseconds", () => {
    const laid = spans(toTrace([replyReport(wholeReply())])).map(({ cat, name, ts, dur }) => [cat, name, ts, dur]);
    // The request was accepted between 1,001 and 1,009, so at 1,005 or 4 ms off.
    expect(laid).toEqual([
      ["page", "capture", 1_000_000, 1_000],
      ["page", "wait for start", 1_001_000, 14_500],
      ["page", "wait for text", 1_015_500, 53_500],
      ["page", "chunk", 1_069_000, 8_000],
      ["page", "chunk", 1_119_000, 60_000],
      ["page", "chunk", 1_179_000, 10_000],
      ["network", "request", 1_001_000, 4_000],
      ["network", "chunk", 1_063_000, 6_000],
      ["network", "chunk", 1_114_000, 5_000],
      ["network", "chunk", 1_175_000, 4_000],
      ["server", "connection", 1_005_000, 500],
      ["server", "routing", 1_005_500, 500],
      ["server", "body", 1_006_000, 1_000],
      ["server", "admission", 1_007_000, 1_000],
      ["server", "tokenise", 1_008_000, 1_000],
      ["server", "hand over", 1_009_000, 1_000],
      ["server", "assembly", 1_061_000, 2_000],
      ["server", "stream", 1_063_000, 120_000],
      ["engine", "queue", 1_010_000, 2_000],
      ["engine", "prefill", 1_012_000, 48_000],
      ["engine", "decode", 1_060_000, 123_000],
    ]);
  });

  it("leaves out the server where the clocks cannot be joined", () => {
    const report = replyReport(wholeReply());
    const unjoined = { ...report, clock: { accepted_at_ms: null, error_ms: null } };
    expect(new Set(spans(toTrace([unjoined])).map(({ cat }) => cat))).toEqual(new Set(["page"]));
  });

  it("lets no two chunks of a thread overlap, however they come and are painted", () => {
    const steps = fc.array(fc.record({ gap: fc.nat({ max: 40 }), flight: fc.nat({ max: 40 }), paint: fc.boolean() }));
    fc.assert(
      fc.property(steps, (some) => {
        const clock = startedReply();
        firstText(clock);
        let read = 1_069;
        some.forEach(({ gap, flight, paint }, index) => {
          read += gap;
          arrive(clock, { seq: index + 2, text: "b", tokens: 1, at: read - 1_005 - flight }, read);
          if (paint) clock.painted(index + 1, read + 10);
        });
        for (const thread of ["page", "network"]) {
          const chunks = spans(toTrace([replyReport(clock)])).filter(
            ({ cat, name }) => cat === thread && name === "chunk",
          );
          chunks.slice(1).forEach((chunk, index) => {
            const before = chunks[index] ?? chunk;
            expect(chunk.ts).toBeGreaterThanOrEqual(before.ts + before.dur - 1e-6);
          });
        }
      }),
    );
  });
});
