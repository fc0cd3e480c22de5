import type { ReplyReport } from "../frontend/src/timing/report.ts";
import { expect, test } from "./test.ts";
import { ROWS, waterfall } from "./waterfall.ts";

test.skip(Boolean(process.env["URL"]), "a deployment does not play the replies that this takes");

test("a reply stopped before its first word has no waterfall, and says why", async ({ chat }) => {
  await chat.ask("slow start");
  await chat.answerIs("waiting");
  await chat.stop.click();
  await chat.answerIs("stopped");
  const reply = await chat.lastReply();
  expect(honest(reply)).toMatchObject({ ttft_ms: null, tokens: 0, rows: { prefill: null, assembly: null } });
  expect(reply.missing.join(" ")).toMatch(/stopped/i);
});

test("a reply that failed before its first word has no waterfall, and says why", async ({ chat }) => {
  await chat.ask("fail first");
  await chat.answerIs("interrupted");
  expect(honest(await chat.lastReply())).toMatchObject({ ttft_ms: null, tokens: 0, rows: { assembly: null } });
});

test("a reply that failed after its first word has the whole way to it", async ({ chat }) => {
  await chat.ask("fail");
  await chat.answerIs("interrupted");
  waterfall(await chat.paintedReply());
});

test("a reply stopped after its first word has the whole way to it", async ({ chat }) => {
  await chat.ask("endless");
  await expect(chat.answerText()).toContainText("word");
  await chat.stop.click();
  await chat.answerIs("stopped");
  waterfall(await chat.paintedReply());
});

test("a refused question has no waterfall, and says why", async ({ chat, complaints }) => {
  await chat.ask("word ".repeat(6_000));
  await chat.answerIs("refused");
  expect(honest(await chat.lastReply())).toMatchObject({ ttft_ms: null, generation: null });
  complaints.splice(0);
});

test("a page that was hidden before the paint does not pass the wait off as a stage", async ({ chat }) => {
  await chat.ask("slow start");
  await chat.page.evaluate(() => {
    Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
    Object.defineProperty(document, "visibilityState", { get: () => "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await chat.answerIs("done");
  const reply = honest(await chat.lastReply());
  expect(reply.rows.assembly).toBeNull();
  expect(reply.missing.join(" ")).toMatch(/hidden/i);
});

test("a wall clock that jumps while the reply comes is said, and no row is below zero", async ({ chat }) => {
  await chat.ask("slow start");
  await chat.page.evaluate(() => {
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
  });
  await chat.answerIs("done");
  expect(honest(await chat.lastReply()).missing.join(" ")).toMatch(/clock/i);
});

test("a page clock that runs back makes no row below zero", async ({ chat }) => {
  await chat.ask("slow start");
  await chat.page.evaluate(() => {
    const now = performance.now.bind(performance);
    performance.now = () => now() - 5_000;
  });
  await chat.answerIs("done");
  expect(honest(await chat.lastReply()).missing.join(" ")).toMatch(/clock/i);
});

test("a reply restored after a reload has no report made up for it", async ({ chat }) => {
  await chat.replyTo("count");
  await chat.page.reload();
  await expect(chat.messages).toHaveCount(2);
  expect((await chat.report()).replies).toEqual([]);
});

/** A report in which something is missing: it says why, and nothing that it does tell is below zero. */
function honest(reply: ReplyReport): ReplyReport {
  expect(reply.missing).not.toEqual([]);
  for (const row of ROWS) expect(reply.rows[row] ?? 0, row).toBeGreaterThanOrEqual(0);
  return reply;
}
