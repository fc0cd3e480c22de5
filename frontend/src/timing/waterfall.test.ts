import fc from "fast-check";
import { expect, it } from "vitest";
import { type Durations, STAGES } from "./stages";
import { rows } from "./waterfall";

const took = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }));
const durations = fc.record(
  Object.fromEntries(STAGES.map((stage) => [stage, took])),
) as unknown as fc.Arbitrary<Durations>;

it("lays the stages end to end, decoding beside assembly", () => {
  const laid = rows({ capture: 1, connection: 1, routing: 0, admission: 0, prefill: 6, decode: 500, assembly: 2 });
  expect(laid.map(({ stage, start, length }) => [stage, start, length])).toEqual([
    ["capture", 0, 0.1],
    ["connection", 0.1, 0.1],
    ["routing", 0.2, 0],
    ["admission", 0.2, 0],
    ["prefill", 0.2, 0.6],
    ["decode", 0.8, expect.closeTo(0.2)],
    ["assembly", 0.8, 0.2],
  ]);
});

it("never leaves its width", () => {
  fc.assert(
    fc.property(durations, (any) => {
      for (const { start, length } of rows(any)) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(length).toBeGreaterThanOrEqual(0);
        expect(start + length).toBeLessThanOrEqual(1 + 1e-9);
      }
    }),
  );
});
