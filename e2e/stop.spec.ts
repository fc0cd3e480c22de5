import { expect, test } from "./test.ts";

test("stop freezes the answer and frees the engine", async ({ chat, server }) => {
  await chat.ask("endless");
  await expect(chat.answerText()).toContainText("word");
  await chat.stop.click();
  await chat.answerIs("stopped");
  const shown = await chat.answerText().textContent();
  await expect.poll(() => running(server.url), { intervals: [20], timeout: 5_000 }).toBe(0);
  await chat.page.waitForTimeout(300);
  expect(await chat.answerText().textContent()).toBe(shown);
});

test("stop before the first token leaves nothing running, and nothing appears later", async ({ chat, server }) => {
  await chat.ask("slow start");
  await chat.answerIs("waiting");
  await chat.stop.click();
  await chat.answerIs("stopped");
  await expect.poll(() => running(server.url), { intervals: [20], timeout: 5_000 }).toBe(0);
  await chat.page.waitForTimeout(2_500);
  expect(await chat.answerText().textContent()).toBe("");
});

test("after stop the next question is answered", async ({ chat }) => {
  await chat.ask("endless");
  await chat.answerIs("streaming");
  await chat.stop.click();
  await chat.answerIs("stopped");
  await chat.ask("count");
  await chat.answerIs("done");
});

test("a closed tab frees the engine", async ({ chat, server }) => {
  await chat.ask("endless");
  await chat.answerIs("streaming");
  expect(await running(server.url)).toBe(1);
  await chat.page.close();
  await expect.poll(() => running(server.url), { intervals: [50], timeout: 3_000 }).toBe(0);
});

/** Replies that the engine works on, as the server's metrics say. */
async function running(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const line = metrics.split("\n").find((text) => text.startsWith("firstlight_engine_running "));
  if (!line) throw new Error("no firstlight_engine_running in /metrics");
  return Number(line.split(" ")[1]);
}
