import fc from "fast-check";
import { expect, it } from "vitest";
import { percentile } from "./percentile";

it("is null without samples", () => {
  expect(percentile([], 0.5)).toBeNull();
  expect(percentile([{ value: 1, weight: 0 }], 0.5)).toBeNull();
});

it("counts each sample as often as it weighs", () => {
  const samples = fc.array(fc.record({ value: fc.nat({ max: 50 }), weight: fc.integer({ min: 1, max: 8 }) }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(samples, fc.double({ min: 0.01, max: 1, noNaN: true }), (weighted, share) => {
      const all = weighted.flatMap(({ value, weight }) => Array<number>(weight).fill(value)).sort((a, b) => a - b);
      expect(percentile(weighted, share)).toBe(all[Math.ceil(share * all.length) - 1]);
    }),
  );
});
