import { devices } from "@playwright/test";
import { expect, test } from "./test.ts";

const { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch } = devices["iPhone 13"];
test.use({ viewport, userAgent, deviceScaleFactor, isMobile, hasTouch });

test("ui-C20: Enter on a touch keyboard is a new line, the button sends", async ({ chat }) => {
  await chat.composer.fill("count");
  await chat.composer.press("Enter");
  await expect(chat.messages).toHaveCount(0);
  await chat.send.tap();
  await chat.answerIs("done");
});

test("nothing is wider than a 390 px screen, the overlay included", async ({ chat }) => {
  await chat.composer.fill(`long ${"x".repeat(300)}`);
  await chat.send.tap();
  await chat.answerIs("done");
  await chat.timing.tap();
  await expect(chat.overlay).toBeVisible();
  expect(await chat.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
    0,
  );
});
