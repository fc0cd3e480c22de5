import { expect, it } from "vitest";
import type { Phase } from "../report";
import { stageText } from "./stage-clock";

const prefill: Phase = { name: "prefill", text: "prefill 1,204 tokens", since: 1_000 };

it("tells how long a stage takes, and when nothing came for a while", () => {
  expect([1_000, 2_240, 3_999, 4_000, 65_000].map((now) => stageText(prefill, now))).toEqual([
    "prefill 1,204 tokens 0.0 s",
    "prefill 1,204 tokens 1.2 s",
    "prefill 1,204 tokens 3.0 s",
    "prefill 1,204 tokens, nothing for 3 s",
    "prefill 1,204 tokens, nothing for 64 s",
  ]);
});

it("adds no time to a rate, nor to the end", () => {
  const decode: Phase = { name: "decode", text: "decode 41 tok/s", since: 1_000 };
  const over: Phase = { name: "over", text: "done", since: 1_000 };
  expect([stageText(decode, 9_000), stageText(over, 9_000)]).toEqual(["decode 41 tok/s", "done"]);
});

it("tells no time below zero", () => {
  expect(stageText({ name: "queued", text: "queued", since: 1_000 }, 900)).toBe("queued 0.0 s");
});
