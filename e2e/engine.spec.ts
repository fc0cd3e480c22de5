import { expect, test } from "@playwright/test";
import { ChatPage, STAGES } from "./chat-page.ts";
import { writeFigures } from "./figures.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;
test.beforeAll(async () => {
  server = await startServer({ FIRSTLIGHT_ENGINE__KIND: "vllm" }, 280_000);
});
test.afterAll(() => server.stop());

test("the real model answers Hello; its TTFT and the seven stages land in the report", async ({ page, browser }) => {
  const chat = new ChatPage(page);
  await chat.open(server.url);
  await chat.ask("Hello");
  await expect(chat.answer()).toHaveAttribute("data-state", "done", { timeout: 120_000 });
  const text = (await chat.answerText().textContent()) ?? "";
  expect(text.trim().length).toBeGreaterThan(0);
  const reply = await chat.lastReply();
  expect(reply.tokens).toBeGreaterThan(0);
  for (const stage of STAGES) expect(reply.marks[stage], stage).toBeGreaterThanOrEqual(0);
  expect(reply.ttft_ms).toBeGreaterThan(reply.marks.prefill ?? Number.POSITIVE_INFINITY);
  const figures = { ttft_ms: reply.ttft_ms ?? Number.NaN, tokens: reply.tokens };
  writeFigures("engine", browser.version(), figures, { marks: reply.marks, text });
});
