import type { Break, Outcome } from "../connection/exchange";
import type { Ending, Note } from "./reducer";

const BREAKS: Record<Break, string> = {
  unreachable: "The server could not be reached.",
  lost: "The connection was lost before the reply was complete.",
  silent: "Connection lost: nothing was heard from the server for 30 seconds.",
  cut: "The stream ended before the reply was complete.",
  gap: "A part of the reply was lost on the way.",
  malformed: "The server sent something that is not a reply.",
  mismatch: "The text that arrived is not the text that the server sent.",
};

const SHORTENED: Record<string, string> = {
  length: "The reply ends here: it reached the limit of tokens.",
  quota: "The reply ends here: your quota of tokens is used up.",
};

/** What is shown of a reply that ended with `outcome` after `text`, at `now` (of `Date.now()`). */
export function ending(outcome: Outcome, text: string, now: number): Ending {
  switch (outcome.kind) {
    case "done": {
      const shortened = SHORTENED[outcome.done.finish_reason];
      const state = outcome.done.finish_reason === "stopped" ? "stopped" : "done";
      return shortened ? { state, text, shortened } : { state, text };
    }
    case "stopped":
      return { state: "stopped", text };
    case "failed": {
      const { message, retryable, retry_after } = outcome.error;
      return {
        state: "interrupted",
        text,
        note: wait({ title: "Interrupted", detail: message, retryable }, retry_after, now),
      };
    }
    case "refused": {
      const { title, detail, retryable, retryAfter } = outcome.refusal;
      return { state: "refused", text, note: wait({ title, detail, retryable }, retryAfter, now) };
    }
    case "broken":
      return {
        state: "interrupted",
        text,
        note: { title: "Interrupted", detail: BREAKS[outcome.why], retryable: true },
      };
  }
}

function wait(note: Note, seconds: number | null | undefined, now: number): Note {
  return seconds == null ? note : { ...note, retryAt: now + seconds * 1000 };
}
