import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { percentile } from "./percentile";
import { Tally } from "./tally";

const samples = fc.array(
  fc.record({ value: fc.double({ min: 0.001, max: 1e6, noNaN: true }), weight: fc.integer({ min: 1, max: 8 }) }),
  { minLength: 1 },
);

function tallyOf(all: { value: number; weight: number }[]): Tally {
  const tally = new Tally();
  for (const { value, weight } of all) tally.add(value, weight);
  return tally;
}

describe("a tally", () => {
  it("has the percentiles of its samples to half a percent", () => {
    fc.assert(
      fc.property(samples, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
        const exact = percentile(all, share) ?? Number.NaN;
        const told = tallyOf(all).percentile(share) ?? Number.NaN;
        expect(Math.abs(told - exact)).toBeLessThanOrEqual(exact * 0.005_001);
      }),
    );
  });

  it("counts every sample in one bin", () => {
    fc.assert(
      fc.property(samples, (all) => {
        const bins = tallyOf(all).histogram([1, 10, 100]);
        expect(bins.reduce((sum, { weight }) => sum + weight, 0)).toBe(
          all.reduce((sum, { weight }) => sum + weight, 0),
        );
      }),
    );
  });

  it("counts a value on an edge below it", () => {
    const tally = tallyOf([0, 1, 1.01, 10, 11].map((value) => ({ value, weight: 1 })));
    expect(tally.histogram([1, 10])).toEqual([
      { upto: 1, weight: 2 },
      { upto: 10, weight: 2 },
      { upto: null, weight: 1 },
    ]);
  });

  it("takes values of the same three digits for one", () => {
    const tally = tallyOf([55.32, 55.34, 55.28].map((value) => ({ value, weight: 1 })));
    expect([0.1, 0.5, 1].map((share) => tally.percentile(share))).toEqual([55.3, 55.3, 55.3]);
  });
});
