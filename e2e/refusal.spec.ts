import { expect, test } from "./test.ts";

test("a question over the context limit is refused with the limit named, and the text is kept", async ({
  chat,
  complaints,
}) => {
  await chat.ask("word ".repeat(6_000));
  await chat.answerIs("refused");
  await expect(chat.answer().getByRole("alert")).toContainText("4096");
  await expect(chat.messages.first()).toContainText("word word word");
  expect(complaints.splice(0).every((text) => text.includes("400"))).toBe(true);
});

test("an engine that fails in the middle leaves the text, marked as interrupted", async ({ chat }) => {
  await chat.ask("fail");
  await chat.answerIs("interrupted");
  await expect(chat.answerText()).toContainText("so far so good");
  await expect(chat.answer().getByRole("alert")).toBeVisible();
});
