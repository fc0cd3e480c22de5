import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Readiness, untilReady } from "./ready";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("tells what it waits for, and asks no more once the server is ready", async () => {
  const answers = [
    () => Promise.reject(new TypeError("refused")),
    async () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
    async () => Response.json({ status: "starting", reason: "loading weights" }, { status: 503 }),
    async () => Response.json({ status: "failed", reason: "No space is left for the KV cache" }, { status: 503 }),
    async () => Response.json({ status: "ok", model: "SmolLM2-135M-Instruct" }),
  ];
  const ask = vi.fn(() => answers.shift()?.());
  vi.stubGlobal("fetch", ask);
  const told: Readiness[] = [];
  void untilReady((readiness) => told.push(readiness));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(told.map(({ ready, reason, model }) => [ready, model, reason])).toEqual([
    [false, undefined, "The server does not answer"],
    [false, undefined, "The server does not answer"],
    [false, undefined, "Loading the model…"],
    [false, undefined, "No space is left for the KV cache"],
    [true, "SmolLM2-135M-Instruct", undefined],
  ]);
  expect(ask).toHaveBeenCalledTimes(5);
});
