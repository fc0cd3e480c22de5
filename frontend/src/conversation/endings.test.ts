import { expect, it } from "vitest";
import type { Done } from "../wire/types.gen";
import { ending } from "./endings";

const done: Done = {
  seq: 1,
  finish_reason: "stop",
  usage: { prompt_tokens: 1, completion_tokens: 1, cached_tokens: 0 },
  timing: {},
  sha256: "",
};

it("says why a complete reply is short", () => {
  expect(ending({ kind: "done", done }, "Hi", 0)).toEqual({ state: "done", text: "Hi" });
  expect(ending({ kind: "done", done: { ...done, finish_reason: "length" } }, "Hi", 0)).toEqual({
    state: "done",
    text: "Hi",
    shortened: "The reply ends here: it reached the limit of tokens.",
  });
});

it("shows a reply that was stopped elsewhere as stopped", () => {
  expect(ending({ kind: "done", done: { ...done, finish_reason: "stopped" } }, "H", 0)).toEqual({
    state: "stopped",
    text: "H",
  });
});

it("turns the seconds of a refusal into the time after which asking again makes sense", () => {
  const refusal = { title: "Busy", detail: "64 requests wait already.", retryable: true, retryAfter: 2 };
  expect(ending({ kind: "refused", refusal }, "", 1_000)).toEqual({
    state: "refused",
    text: "",
    note: { title: "Busy", detail: "64 requests wait already.", retryable: true, retryAt: 3_000 },
  });
});

it("keeps the text of a reply that the server gave up", () => {
  const error = { seq: 3, type: "internal" as const, message: "The engine failed.", retryable: false };
  expect(ending({ kind: "failed", error }, "so far", 0)).toEqual({
    state: "interrupted",
    text: "so far",
    note: { title: "Interrupted", detail: "The engine failed.", retryable: false },
  });
});

it("offers another try for every kind of break", () => {
  expect(ending({ kind: "broken", why: "silent" }, "so far", 0)).toEqual({
    state: "interrupted",
    text: "so far",
    note: {
      title: "Interrupted",
      detail: "Connection lost: nothing was heard from the server for 30 seconds.",
      retryable: true,
    },
  });
});
