import { expect, it } from "vitest";
import { arrive, firstText, startedReply, wholeReply } from "../../test/reply";
import { ReplyClock } from "./clock";
import { phaseOf } from "./phase";

it("says of a reply what it is doing, and since when", () => {
  expect(phaseOf(new ReplyClock("r1", 1_000), 1_005)).toEqual({ name: "sending", text: "sending", since: 1_000 });
  const queued = startedReply({ queued: true });
  expect(phaseOf(queued, 1_020)).toEqual({ name: "queued", text: "queued", since: 1_015.5 });
  const clock = startedReply();
  expect(phaseOf(clock, 1_020)).toEqual({ name: "prefill", text: "prefill 1,204 tokens", since: 1_015.5 });
  firstText(clock);
  expect(phaseOf(clock, 1_080)).toEqual({ name: "decode", text: "decode", since: 1_069 });
  arrive(clock, { seq: 11, text: "b", tokens: 10 }, 1_169);
  expect(phaseOf(clock, 1_180).text).toBe("decode 100 tok/s");
  expect(phaseOf(wholeReply(), 1_200)).toEqual({ name: "over", text: "done", since: 1_191 });
});

it("tells a reply that is stuck from one that is slow", () => {
  const clock = startedReply();
  firstText(clock);
  expect([2_900, 3_069, 4_500].map((now) => phaseOf(clock, now).text)).toEqual([
    "decode",
    "decode, nothing for 2 s",
    "decode, nothing for 3 s",
  ]);
});
