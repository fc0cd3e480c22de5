import { expect, it } from "vitest";
import { duration, figure } from "./format";

it.each([
  [null, "–"],
  [0, "0.00 ms"],
  [0.416, "0.42 ms"],
  [8.26, "8.3 ms"],
  [9.96, "10 ms"],
  [61.5, "62 ms"],
  [999.6, "1.00 s"],
  [2_410, "2.41 s"],
])("a duration of %s reads %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

it("a rate has decimals only where they mean something", () => {
  expect([0.5, 4.25, 41.4, 1_234.5].map(figure)).toEqual(["0.50", "4.3", "41", "1235"]);
});
