import { expect, it } from "vitest";
import { MARKS } from "../../test/reply";
import { UNTOLD, waterfall, withoutNegative } from "./rows";

const page = { keydown: 1_000, sent: 1_001, read: 1_069, painted: 1_077 };

it("does not show a row below zero, and says so", () => {
  const backwards = { ...MARKS, first_token: 1 };
  const { rows, missing } = withoutNegative(waterfall(page, backwards, 1_009));
  expect({ rows, missing }).toEqual({
    rows: {
      capture: 1,
      connection: 9.5,
      routing: 0.5,
      admission: 1,
      prefill: null,
      decode: 55,
      assembly: 10,
      unaccounted: 2,
    },
    missing: ["The row prefill came out below zero: a clock jumped, or runs unevenly."],
  });
});

it("tells no row of which a mark is missing", () => {
  expect(waterfall({ keydown: 1 }, {}, undefined)).toEqual(UNTOLD);
});
