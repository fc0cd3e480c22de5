import fc from "fast-check";
import { expect, it } from "vitest";
import type { Rows } from "../rows";
import { ROWS } from "../rows";
import { laid } from "./laid";

const took = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }));
const rows = fc.record(Object.fromEntries(ROWS.map((row) => [row, took]))) as unknown as fc.Arbitrary<Rows>;

it("lays each bar where the one before it ends, and never leaves its width", () => {
  fc.assert(
    fc.property(rows, (any) => {
      let end = 0;
      for (const { start, length } of laid(any)) {
        expect(start).toBe(end);
        expect(length).toBeGreaterThanOrEqual(0);
        end = start + length;
      }
      expect(end).toBeLessThanOrEqual(1 + 1e-9);
    }),
  );
});
