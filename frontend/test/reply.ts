import { ReplyClock } from "../src/timing/clock";
import type { Delta, Done, Marks } from "../src/wire/types.gen";

const TAKEN: Marks = {
  accepted: 0,
  headers: 0.5,
  routed: 1,
  body: 2,
  verified: 2.1,
  bucket: 2.2,
  cleaned: 2.5,
  shaped: 3,
  tokenised: 4,
  queued: 5,
  started: 6,
};
const FIRST: Marks = { scheduled: 7, first_token: 55, first_text: 56, first_byte: 58 };

/** The server's marks of `reply`. */
export const MARKS: Marks = { ...TAKEN, ...FIRST, finished: 178 };

export const DONE: Done = {
  seq: 12,
  finish_reason: "stop",
  usage: { prompt_tokens: 1_204, completion_tokens: 12, cached_tokens: 4 },
  timing: MARKS,
  sha256: "",
};

/** A reply that was asked at 1,000 and sent at 1,001, as the server takes it. The network takes 8 ms. */
export function startedReply(start: { queued?: boolean; report?: boolean } = {}): ReplyClock {
  const clock = new ReplyClock("r1", 1_000);
  clock.sent(1_001);
  clock.mark("answered", 1_014);
  const wire = { generation: "gen-1", seq: 0 as const, model: "m", prompt_tokens: 1_204, request_header_bytes: 612 };
  clock.started({ ...wire, ...start, timing: TAKEN }, { read: 1_015, parsed: 1_015.5 });
  return clock;
}

/** A delta that was read at `read`, and parsed half a millisecond later. */
export function arrive(clock: ReplyClock, delta: Delta, read: number): void {
  clock.delta(delta, { read, parsed: read + 0.5 });
}

/** Its first text, painted. It takes 2 ms longer than the network does. */
export function firstText(clock: ReplyClock): void {
  arrive(clock, { seq: 1, text: "a", tokens: 1, at: 58, timing: FIRST }, 1_069);
  clock.mark("committed", 1_070);
  clock.painted(1, 1_077);
}

/** All of it: one token, then five after 50 ms, then six after 60 ms; the last two chunks are painted together. */
export function wholeReply(): ReplyClock {
  const clock = startedReply();
  firstText(clock);
  arrive(clock, { seq: 6, text: "b", tokens: 5, at: 109 }, 1_119);
  arrive(clock, { seq: 12, text: "c", tokens: 6, at: 170 }, 1_179);
  clock.painted(3, 1_189);
  clock.ended(1_191, "done", DONE);
  return clock;
}
