import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepted, grainOf, Offset } from "./offset";

const span = fc.double({ min: 0, max: 5_000, noNaN: true });

describe("the joined clocks", () => {
  it("hold the true time of acceptance within the error, whatever the network does", () => {
    const events = fc.array(fc.record({ left: span, flight: span }), { minLength: 1, maxLength: 20 });
    const property = fc.property(span, span, span, events, (sent, socket, way, some) => {
      const truth = sent + socket + way;
      const offset = new Offset();
      for (const { left, flight } of some) offset.offer(truth + left + flight, left, true);
      const { accepted_at_ms, error_ms } = accepted(sent + socket, offset.latest, 0.1);
      expect(Math.abs((accepted_at_ms ?? Number.NaN) - truth)).toBeLessThanOrEqual(error_ms ?? Number.NaN);
    });
    fc.assert(property);
  });

  it("are told by the fastest event alone", () => {
    const offset = new Offset();
    for (const [read, left] of [
      [130, 100],
      [150, 125],
      [190, 150],
    ] as const) {
      offset.offer(read, left, true);
    }
    expect(accepted(10, offset.latest, 0.1)).toEqual({ accepted_at_ms: 17.5, error_ms: 7.6 });
  });

  it("do not trust events of ten seconds after the first text, when the clocks have drifted", () => {
    const offset = new Offset();
    offset.offer(100, 50, false);
    offset.offer(60_000, 59_950, true);
    offset.offer(80_000, 79_960, false);
    expect(offset.latest).toBe(50);
  });

  it("are not joined where the bounds cross", () => {
    const nothing = { accepted_at_ms: null, error_ms: null };
    expect([accepted(10, 9, 0.1), accepted(10, undefined, 0.1), accepted(undefined, 9, 0.1)]).toEqual([
      nothing,
      nothing,
      nothing,
    ]);
  });

  it("allow for the steps of the page's clock", () => {
    expect([grainOf(1, undefined, 3), grainOf(1, 2.1)]).toEqual([1, 0.1]);
  });
});
