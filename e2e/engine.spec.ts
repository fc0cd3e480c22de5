import { expect, test } from "@playwright/test";
import { ChatPage } from "./chat-page.ts";
import { exactly, record } from "./figures.ts";
import { type Server, startServer } from "./server.ts";
import { known, waterfall } from "./waterfall.ts";

let server: Server;
test.beforeAll(async () => {
  server = await startServer({ FIRSTLIGHT_ENGINE__KIND: "vllm" }, 280_000);
});
test.afterAll(() => server.stop());

test("the real model answers Hello; its TTFT and the seven stages land in the report", async ({
  page,
  browser,
}, testInfo) => {
  const chat = new ChatPage(page);
  await chat.open(server.url);
  await chat.ask("Hello");
  await expect(chat.answer()).toHaveAttribute("data-state", "done", { timeout: 120_000 });
  const text = (await chat.answerText().textContent()) ?? "";
  expect(text.trim().length).toBeGreaterThan(0);
  const reply = await chat.paintedReply();
  const rows = waterfall(reply);
  expect(reply.tokens).toBeGreaterThan(0);
  const figures = { ttft_ms: exactly(known(reply.ttft_ms)), tokens: exactly(reply.tokens) };
  await record(testInfo, browser.version(), figures, { rows, text });
});
