import fc from "fast-check";
import { expect, it } from "vitest";
import type { Rows } from "./rows";
import { STAGES } from "./stages";
import { laid } from "./waterfall";

const took = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }));
const rows = fc.record(Object.fromEntries(STAGES.map((stage) => [stage, took]))) as unknown as fc.Arbitrary<Rows>;

it("never leaves its width", () => {
  fc.assert(
    fc.property(rows, (any) => {
      for (const { start, length } of laid(any)) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(length).toBeGreaterThanOrEqual(0);
        expect(start + length).toBeLessThanOrEqual(1 + 1e-9);
      }
    }),
  );
});
