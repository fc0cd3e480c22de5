import { expect, test } from "./test.ts";

test("a reload brings the finished conversation back", async ({ chat }) => {
  await chat.ask("count");
  await chat.answerIs("done");
  await chat.page.reload();
  await expect(chat.messages).toHaveCount(2);
  await expect(chat.answerText()).toHaveText("one two three four five six seven eight nine ten", {
    useInnerText: true,
  });
  await chat.ask("count");
  await chat.answerIs("done");
  await expect(chat.messages).toHaveCount(4);
});

test("E08: an answer cut by a reload is shown as interrupted, with its text, and can be asked again", async ({
  chat,
}) => {
  await chat.ask("long");
  await expect(chat.answerText()).toContainText("river");
  await chat.page.reload();
  await chat.answerIs("interrupted");
  await expect(chat.answerText()).toContainText("river");
  await chat.page.getByRole("button", { name: "Try again" }).click();
  await chat.answerIs("streaming");
  await chat.answerIs("done");
});

test("L11: no token lies in any storage of the page", async ({ chat }) => {
  await chat.ask("count");
  await chat.answerIs("done");
  const stored = await chat.page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(stored).not.toContain("eyJ");
});
