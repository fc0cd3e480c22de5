import { ReplyClock } from "../frontend/src/timing/clock";
import { leaveMeasures } from "../frontend/src/timing/measures";
import { replyReport } from "../frontend/src/timing/reply";

/** Chunks of a reply: 100 frames of text. */
const CHUNKS = 100;
const TOKENS = 4;
const MARKS = {
  accepted: 0,
  headers: 0.1,
  routed: 0.4,
  body: 0.4,
  verified: 0.5,
  bucket: 0.5,
  cleaned: 0.5,
  shaped: 0.5,
  tokenised: 0.7,
  queued: 0.8,
  started: 0.9,
  scheduled: 0.9,
  first_token: 50.9,
  first_text: 51,
  first_byte: 51.1,
  finished: 2_000,
};
/** Made beforehand, as parsing makes them: they are no cost of marking. */
const START = { generation: "gen-1", seq: 0 as const, model: "m", prompt_tokens: 20, timing: MARKS };
const DELTAS = Array.from({ length: CHUNKS }, (_, index) => {
  const delta = { seq: (index + 1) * TOKENS, text: "text", tokens: TOKENS, at: 52 + index };
  return index === 0 ? { ...delta, timing: MARKS } : delta;
});
const DONE = {
  seq: CHUNKS * TOKENS,
  finish_reason: "stop" as const,
  usage: { prompt_tokens: 20, completion_tokens: CHUNKS * TOKENS, cached_tokens: 0 },
  timing: MARKS,
  sha256: "",
};

/** Runs in a page: marks `count` replies, chunk by chunk, as the page does; milliseconds a reply. */
export function markReplies(count: number): number {
  const began = performance.now();
  for (let reply = 0; reply < count; reply++) markReply();
  return (performance.now() - began) / count;
}

/** Runs in a page: what is done once, when a reply is over and the page is idle; milliseconds a reply. */
export function reportReplies(count: number): number {
  const clock = markReply();
  const began = performance.now();
  for (let reply = 0; reply < count; reply++) leaveMeasures(replyReport(clock));
  const took = performance.now() - began;
  performance.clearMeasures();
  return took / count;
}

function markReply(): ReplyClock {
  const clock = new ReplyClock("reply", performance.now());
  clock.sent(performance.now());
  clock.mark("answered", performance.now());
  clock.started(START, times());
  for (const [index, delta] of DELTAS.entries()) {
    clock.delta(delta, times());
    if (index === 0) clock.mark("committed", performance.now());
    clock.painted(index + 1, performance.now());
  }
  clock.ended(performance.now(), "done", DONE);
  return clock;
}

function times(): { read: number; parsed: number } {
  return { read: performance.now(), parsed: performance.now() };
}
