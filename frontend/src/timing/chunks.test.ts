import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Chunks } from "./chunks";
import { Offset } from "./offset";

/** So many chunks come, a millisecond after each other, so many are painted, and somebody asks. */
const step = fc.record({ came: fc.nat({ max: 3_000 }), painted: fc.nat({ max: 3_000 }), asked: fc.boolean() });
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

function play(steps: Step[]) {
  const chunks = new Chunks(new Offset());
  let came = 0;
  let painted = 0;
  for (const step of steps) {
    for (const end = came + step.came; came < end; came += 1) chunks.push({ read: came, parsed: came }, came, 1);
    painted = Math.min(came, painted + step.painted);
    chunks.painted(painted, came, 0);
    if (step.asked) expect(chunks.count().chunks).toBe(came);
  }
  return { chunks, came, painted };
}

describe("the chunks of a reply", () => {
  it("are all kept of a usual reply, each with when it was painted", () => {
    const chunks = new Chunks(new Offset());
    chunks.push({ read: 1, parsed: 2 }, 0.5, 3);
    chunks.push({ read: 5, parsed: 6 }, null, 1);
    chunks.painted(1, 9, 0);
    chunks.painted(1, 11, 0);
    expect(chunks.timeline()).toEqual([
      { read: 1, parsed: 2, painted: 9, at: 0.5, tokens: 3 },
      { read: 5, parsed: 6, painted: null, at: null, tokens: 1 },
    ]);
  });

  it("are few, in order, and lose no token, however many come, and however late they are painted or counted", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        const { chunks, came, painted } = play(steps);
        const { tokens, gaps } = chunks.count();
        const timeline = chunks.timeline();
        expect(timeline.length).toBeLessThanOrEqual(2_048 + 1_024);
        expect(timeline.reduce((sum, chunk) => sum + chunk.tokens, 0)).toBe(came);
        expect(timeline).toEqual(timeline.toSorted((a, b) => a.read - b.read));
        expect({ tokens, gap: gaps.percentile(1) }).toEqual({ tokens: came, gap: came > 1 ? 1 : null });
        // Those painted are the first.
        const first = timeline.findIndex((chunk) => chunk.read >= painted);
        expect(timeline.slice(first).every((chunk) => first < 0 || chunk.painted === null)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("join the clocks by the fastest of them", () => {
    const offset = new Offset();
    const chunks = new Chunks(offset);
    chunks.push({ read: 130, parsed: 130 }, 100, 1);
    chunks.push({ read: 150, parsed: 150 }, 125, 1);
    chunks.count();
    expect(offset.latest).toBe(25);
  });
});
