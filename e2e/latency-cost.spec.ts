import path from "node:path";
import type { CDPSession } from "@playwright/test";
import { build } from "vite";
import type { ChatPage } from "./chat-page.ts";
import { exactly, percentile, quantile, record } from "./figures.ts";
import { expect, test } from "./test.ts";
import { LONG } from "./waterfall.ts";

test.skip(Boolean(process.env["URL"]), "what the page itself costs is the same everywhere");

const BATCHES = 20;
const REPLIES = 100;
/** Replies with the overlay open, and as many without. */
const ROUNDS = LONG ? 10 : 2;

test("the marks of a reply of 100 chunks cost the page at most 0.2 ms", async ({ page, browser }, testInfo) => {
  await page.goto("about:blank");
  const module = await bundled("marking");
  const batches = (what: string) =>
    page.evaluate<number[]>(
      `${module}; Array.from({ length: ${BATCHES} }, () => marking.${what}(${REPLIES})).slice(1)`,
    );
  const marking = quantile(await batches("markReplies"), 0.5);
  const reporting = quantile(await batches("reportReplies"), 0.5);
  await record(testInfo, browser.version(), { marking_ms_p50: marking, reporting_ms_p50: reporting });
  expect(marking.value).toBeLessThanOrEqual(LONG ? 0.2 : 2);
});

test("an open overlay adds at most 5 % of the main thread while a reply streams", async ({
  chat,
  browser,
}, testInfo) => {
  test.setTimeout(60_000 + ROUNDS * 30_000);
  const closed: number[] = [];
  const open: number[] = [];
  await mainThreadShare(chat);
  for (let round = 0; round < ROUNDS; round++) {
    for (const shares of [closed, open]) {
      await chat.newChat.click();
      shares.push(await mainThreadShare(chat));
      await chat.timing.click();
    }
  }
  const added = percentile(open, 0.5) - percentile(closed, 0.5);
  await record(testInfo, browser.version(), {
    main_thread_share_p50: quantile(closed, 0.5),
    overlay_main_thread_share: exactly(added),
  });
  expect(added).toBeLessThanOrEqual(LONG ? 0.05 : 0.3);
});

/** The share of its time that the page's main thread is busy while a reply streams. */
async function mainThreadShare(chat: ChatPage): Promise<number> {
  const session = await chat.page.context().newCDPSession(chat.page);
  await session.send("Performance.enable");
  await chat.ask("long");
  await chat.answerIs("streaming");
  const began = await busy(session);
  await chat.answerIs("done");
  const ended = await busy(session);
  await session.detach();
  return (ended.tasks - began.tasks) / (ended.at - began.at);
}

/** Seconds: of the machine's clock, and of the main thread's tasks so far. */
async function busy(session: CDPSession): Promise<{ at: number; tasks: number }> {
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return { at: value("Timestamp"), tasks: value("TaskDuration") };
}

/** Module `name` of this folder with all that it imports, as a script that makes a global of that name. */
async function bundled(name: string): Promise<string> {
  const entry = path.join(import.meta.dirname, `${name}.ts`);
  const options = { lib: { entry, formats: ["iife" as const], name }, write: false };
  const [output] = [await build({ configFile: false, logLevel: "error", build: options })].flat();
  if (!output || !("output" in output)) throw new Error("nothing was built");
  return output.output[0].code;
}
