import { readFile } from "node:fs/promises";
import type { ChatPage } from "./chat-page.ts";
import { expect, test } from "./test.ts";
import { ROWS } from "./waterfall.ts";

test("the shortcut opens the overlay while the draft keeps the focus", async ({ chat }) => {
  await chat.page.keyboard.press("ControlOrMeta+.");
  await expect(chat.overlay).toBeVisible();
  await expect(chat.overlay).toContainText("Ask something");
  await expect(chat.composer).toBeFocused();
  await chat.page.keyboard.press("ControlOrMeta+.");
  await expect(chat.overlay).toBeHidden();
  await expect(chat.composer).toBeFocused();
});

test("the overlay is no part of the first script, and is there when it is asked for after a reload", async ({
  chat,
}) => {
  await chat.timing.click();
  await expect(chat.overlay).toBeVisible();
  await chat.page.reload();
  await expect(chat.overlay).toBeVisible();
  await expect(chat.timing).toHaveAttribute("aria-pressed", "true");
  await expect(chat.page.locator("script[src]")).toHaveCount(1);
});

test("each answer opens its own times, which stay until the latest are followed again", async ({ chat }) => {
  await chat.replyTo("count");
  const second = await chat.replyTo("Hello");
  const opener = summaryOf(chat, 0);
  await expect(opener).toContainText(/ms to first word · [\d.]+ tokens\/s/);
  await opener.click();
  await expect(chat.overlay).toContainText("Kept at reply 1 of 2");
  await expect(chat.overlay.getByRole("heading", { name: "Timing" })).toBeFocused();
  await expect(metric(chat, "tokens_out")).toHaveText("10");
  await chat.overlay.getByRole("button", { name: "Follow the latest" }).click();
  await expect(chat.overlay).toContainText("Following the latest: reply 2 of 2");
  await expect(metric(chat, "tokens_out")).toHaveText(String(second.tokens));
});

test("without a mouse: opened at an answer, read, closed, and the focus is back where it was", async ({ chat }) => {
  await chat.replyTo("count");
  const { keyboard } = chat.page;
  await summaryOf(chat, 0).focus();
  await keyboard.press("Enter");
  await expect(chat.overlay.getByRole("heading", { name: "Timing" })).toBeFocused();
  await keyboard.press("Tab");
  await expect(chat.overlay.getByRole("button", { name: "Reply", exact: true })).toBeFocused();
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await expect(chat.overlay.getByRole("table", { name: "Percentiles" })).toBeVisible();
  await keyboard.press("Escape");
  await expect(chat.overlay).toBeHidden();
  await expect(summaryOf(chat, 0)).toBeFocused();
});

test("Escape in the overlay closes it, and the reply goes on", async ({ chat }) => {
  await chat.replyTo("count");
  await chat.ask("long");
  await chat.answerIs("streaming");
  await summaryOf(chat, 0).click();
  await chat.page.keyboard.press("Escape");
  await expect(chat.overlay).toBeHidden();
  await chat.answerIs("done");
});

test("the rows that the page shows add up to the time to the first word", async ({ chat }) => {
  await chat.replyTo("count");
  await chat.timing.click();
  const table = chat.overlay.getByRole("table", { name: "From key to first word, stage by stage" });
  await expect(table.getByRole("rowheader")).toHaveText([...ROWS]);
  const { ttft_ms } = await chat.lastReply();
  await expect(metric(chat, "ttft_ms")).toHaveText(String(Math.round(ttft_ms ?? 0)));
  const took = await Promise.all(ROWS.map((row) => milliseconds(chat, `[data-stage="${row}"] .took`)));
  // Each row is rounded for the eye.
  expect(Math.abs(took.reduce((sum, ms) => sum + ms, 0) - (ttft_ms ?? 0))).toBeLessThan(ROWS.length * 0.5);
});

test("a row over its budget says so in words", async ({ chat }) => {
  await chat.replyTo("slow start");
  await chat.timing.click();
  await expect(chat.overlay.locator('[data-stage="prefill"] .took')).toContainText("over its budget of 100 ms: 2.");
});

test("a slow prefill is told while it lasts, in the answer's place and in the overlay", async ({ chat }) => {
  await chat.timing.click();
  await chat.ask("slow start");
  const clock = /prefill [\d,]+ tokens \d\.\d s/;
  await expect(chat.answer()).toContainText(clock);
  await expect(chat.overlay).toContainText(clock);
  await chat.answerIs("done");
  await expect(chat.answer()).not.toContainText("prefill");
  await expect(chat.overlay).not.toContainText(clock);
});

test("a reply without a first word says what is missing", async ({ chat }) => {
  await chat.ask("fail first");
  await chat.answerIs("interrupted");
  await summaryOf(chat, 0).click();
  await expect(chat.overlay.getByRole("listitem")).toContainText(["before its first word"]);
  await expect(chat.overlay.locator('[data-stage="assembly"] .took')).toHaveText("–");
});

test("the session tells percentiles and a trend, leaves out what has no waterfall, and compares two", async ({
  chat,
}) => {
  for (const text of ["count", "Hello", "slow start"]) await chat.replyTo(text);
  await chat.ask("fail first");
  await chat.answerIs("interrupted");
  await chat.timing.click();
  await chat.overlay.getByRole("button", { name: "Session" }).click();
  await expect(chat.overlay.getByRole("heading", { name: "Last 3 replies" })).toBeVisible();
  await expect(metric(chat, "left_out")).toContainText("1 left out");
  await expect(chat.overlay.getByRole("img", { name: /^Time to the first word/ })).toBeVisible();
  await chat.overlay.getByLabel("First reply").selectOption({ index: 0 });
  await chat.overlay.getByLabel("Second reply").selectOption({ index: 2 });
  await expect(chat.overlay.locator('[data-difference="prefill"] td').last()).toContainText(/^\+[12]\.\d\d s$/);
});

test("the report and the trace of all replies can be saved, and parse", async ({ chat }) => {
  await chat.replyTo("count");
  await chat.replyTo("Hello");
  await chat.timing.click();
  const report = await saved(chat, "Export JSON");
  expect(report).toMatchObject({ version: 1, replies: (await chat.report()).replies });
  const trace = await saved(chat, "Export trace");
  expect(trace).toMatchObject({ displayTimeUnit: "ms", traceEvents: expect.any(Array) });
});

test("on a phone it is a sheet above the composer that scrolls inside itself", async ({ chat }) => {
  await chat.page.setViewportSize({ width: 390, height: 700 });
  await chat.replyTo("count");
  await chat.timing.click();
  const [sheet, composer] = [await chat.overlay.boundingBox(), await chat.composer.boundingBox()];
  expect([sheet?.x, sheet?.width]).toEqual([0, 390]);
  expect((sheet?.y ?? 0) + (sheet?.height ?? 0)).toBeLessThanOrEqual(composer?.y ?? 0);
  const inside = await chat.overlay.evaluate((element) => [
    element.scrollHeight > element.clientHeight,
    element.scrollWidth - element.clientWidth,
  ]);
  expect(inside).toEqual([true, 0]);
  await expect(chat.overlay.getByRole("button", { name: "Export trace" })).not.toBeInViewport();
  await chat.overlay.getByRole("button", { name: "Export trace" }).scrollIntoViewIfNeeded();
  await expect(chat.overlay.getByRole("button", { name: "Close timing" })).toBeInViewport();
});

/** The line below the reply of that index. */
function summaryOf(chat: ChatPage, index: number) {
  const reply = chat.page.getByRole("article", { name: "Reply" }).nth(index);
  return reply.getByRole("button", { name: "Show the timing of this reply" });
}

function metric(chat: ChatPage, name: string) {
  return chat.overlay.locator(`[data-metric="${name}"]`);
}

async function milliseconds(chat: ChatPage, selector: string): Promise<number> {
  const text = await chat.overlay.locator(selector).textContent();
  const [, value, unit] = /([\d.]+) (ms|s)$/.exec(text ?? "") ?? [];
  return Number(value) * (unit === "s" ? 1000 : 1);
}

async function saved(chat: ChatPage, button: string): Promise<unknown> {
  const [download] = await Promise.all([
    chat.page.waitForEvent("download"),
    chat.overlay.getByRole("button", { name: button }).click(),
  ]);
  return JSON.parse(await readFile(await download.path(), "utf8"));
}
