import { expect, test } from "./test.ts";

test.use({ settings: { FIRSTLIGHT_ADMISSION__BURST: "2", FIRSTLIGHT_ADMISSION__RATE: "0.5" } });

test("with a bucket of two, the third question is told why and how long to wait, and can be sent again then", async ({
  chat,
  complaints,
}) => {
  for (const _ of [1, 2]) {
    await chat.ask("count");
    await chat.answerIs("done");
  }
  await chat.ask("count");
  await chat.answerIs("refused");
  await expect(chat.answer().getByRole("alert")).toContainText(/\d+ s/);
  const again = chat.answer().getByRole("button", { name: "Try again" });
  await expect(again).toBeEnabled({ timeout: 10_000 });
  await again.click();
  await chat.answerIs("done");
  expect(complaints.splice(0).every((text) => text.includes("429"))).toBe(true);
});
