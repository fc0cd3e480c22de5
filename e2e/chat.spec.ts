import { expect, test } from "./test.ts";

test("a question is answered word by word, and the answer is marked complete", async ({ chat }) => {
  await chat.ask("count");
  await expect(chat.answerText()).toHaveText("one two three four five six seven eight nine ten", {
    useInnerText: true,
  });
  await chat.answerIs("done");
});

test("the text of a running answer never shrinks", async ({ chat }) => {
  await chat.ask("long");
  await chat.answerIs("streaming");
  let shown = "";
  while ((await chat.answer().getAttribute("data-state")) === "streaming") {
    const text = (await chat.answerText().textContent()) ?? "";
    expect(text.startsWith(shown)).toBe(true);
    shown = text;
  }
  await chat.answerIs("done");
});

test("a second question is sent with the first one and its answer", async ({ chat }) => {
  await chat.ask("count");
  await chat.answerIs("done");
  const [request] = await Promise.all([chat.page.waitForRequest("**/api/chat"), chat.ask("count")]);
  expect(request.postDataJSON().messages).toEqual([
    { role: "user", content: "count" },
    { role: "assistant", content: "one two three four five six seven eight nine ten" },
    { role: "user", content: "count" },
  ]);
  await chat.answerIs("done");
  await expect(chat.messages).toHaveCount(4);
});

test("one request leaves the page for one question", async ({ chat }) => {
  // What the page fetches ahead in idle time is there by now.
  await chat.page.waitForLoadState("networkidle");
  const sent: string[] = [];
  chat.page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await chat.ask("count");
  await chat.answerIs("done");
  expect(sent).toEqual(["POST /api/chat"]);
});

test("new chat empties the conversation and gives the composer the focus", async ({ chat }) => {
  await chat.ask("count");
  await chat.answerIs("done");
  await chat.newChat.click();
  await expect(chat.messages).toHaveCount(0);
  await expect(chat.composer).toBeFocused();
});

test("the overlay shows TTFT at paint, the rate, the gaps and the seven stages", async ({ chat }) => {
  await chat.ask("count");
  await chat.answerIs("done");
  await chat.timing.click();
  await expect(chat.overlay).toBeVisible();
  const reply = await chat.paintedReply();
  expect(reply.ttft_ms).toBeGreaterThan(50);
  expect(reply.tokens).toBe(10);
  await expect(chat.overlay.locator('[data-metric="ttft_ms"]').first()).toContainText(
    String(Math.round(reply.ttft_ms ?? 0)),
  );
  for (const metric of ["tokens_per_s", "itl_p50_ms", "itl_p95_ms"]) {
    await expect(chat.overlay.locator(`[data-metric="${metric}"]`).first()).toContainText(/\d/);
  }
  for (const stage of ["capture", "connection", "routing", "admission", "prefill", "decode", "assembly"]) {
    await expect(chat.overlay.locator(`[data-stage="${stage}"]`).first()).toContainText(/\d/);
  }
});

test("an answer of 2,000 tokens at 1,000 a second arrives whole, and no task holds the page for long", async ({
  chat,
}) => {
  await chat.page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { longTasks: tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({
      type: "longtask",
    });
  });
  await chat.ask("flood");
  await expect(chat.answer()).toHaveAttribute("data-state", "done", { timeout: 30_000 });
  expect((await chat.lastReply()).tokens).toBe(2_000);
  const longest = await chat.page.evaluate(() =>
    Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks),
  );
  // Under 100 ms on a quiet machine; the ceiling leaves room for a loaded one, where wall time is not the page's own.
  expect(longest).toBeLessThan(400);
});
