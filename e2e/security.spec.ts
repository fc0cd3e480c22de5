import { expect, test } from "./test.ts";

test("L10: a string given to innerHTML is refused by Trusted Types", async ({ chat, complaints }) => {
  const refused = await chat.page.evaluate(() => {
    try {
      document.body.innerHTML = "<b>x</b>";
      return false;
    } catch (error) {
      return error instanceof TypeError;
    }
  });
  expect(refused).toBe(true);
  complaints.splice(0);
});

test("model text with markup is shown as text", async ({ chat }) => {
  await chat.ask("markup");
  await chat.answerIs("done");
  await expect(chat.answerText()).toContainText("<img src=x onerror=alert(1)>");
  expect(await chat.answer().locator("img, script").count()).toBe(0);
});

test("L09: the page and its errors carry the content security policy", async ({ server, chat: _ }) => {
  for (const path of ["/", "/no-such-thing", "/api/generations/none"]) {
    const headers = (await fetch(server.url + path)).headers;
    expect(headers.get("content-security-policy"), path).toContain("default-src 'none'");
    expect(headers.get("content-security-policy"), path).toContain("require-trusted-types-for 'script'");
    expect(headers.get("x-content-type-options"), path).toBe("nosniff");
  }
});

test("the stream is zstd in this browser", async ({ chat }) => {
  const [response] = await Promise.all([chat.page.waitForResponse("**/api/chat"), chat.ask("count")]);
  expect(response.headers()["content-encoding"]).toBe("zstd");
  expect(response.headers()["content-type"]).toContain("text/event-stream");
  await chat.answerIs("done");
});
