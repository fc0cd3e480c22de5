import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Timeline } from "./timeline";

describe("the timeline", () => {
  it("keeps every chunk of a usual reply, with when it was painted", () => {
    const timeline = new Timeline();
    timeline.push(1, 2, 0.5, 3);
    timeline.push(5, 6, null, 1);
    expect(timeline.painted(1, 9)).toHaveLength(1);
    expect(timeline.painted(1, 11)).toHaveLength(0);
    expect(timeline.chunks()).toEqual([
      { read: 1, parsed: 2, painted: 9, at: 0.5, tokens: 3 },
      { read: 5, parsed: 6, painted: null, at: null, tokens: 1 },
    ]);
  });

  it("is bounded, in order, and loses neither tokens nor paints, however long the reply and however late the paints", () => {
    const steps = fc.array(fc.record({ chunks: fc.nat({ max: 3_000 }), painted: fc.nat({ max: 3_000 }) }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(steps, (some) => {
        const timeline = new Timeline();
        let painted = 0;
        for (const step of some) {
          for (let at = 0; at < step.chunks; at += 1) timeline.push(timeline.count, timeline.count, null, 1);
          painted = Math.min(timeline.count, painted + step.painted);
          timeline.painted(painted, timeline.count);
        }
        const chunks = timeline.chunks();
        expect(chunks.length).toBeLessThanOrEqual(2_048);
        expect(chunks.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(timeline.count);
        // An entry stands at its last chunk: it is painted when that one is.
        expect(chunks.map((chunk) => chunk.painted !== null)).toEqual(chunks.map(({ read }) => read < painted));
      }),
      { numRuns: 50 },
    );
  });
});
