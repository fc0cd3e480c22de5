import { expect, test } from "./test.ts";

test("everything works without a mouse: send, stop, new chat, overlay", async ({ chat }) => {
  const { keyboard } = chat.page;
  await keyboard.type("endless");
  await keyboard.press("Enter");
  await chat.answerIs("streaming");
  await keyboard.press("Escape");
  await chat.answerIs("stopped");
  await keyboard.press("ControlOrMeta+.");
  await expect(chat.overlay).toBeVisible();
  await keyboard.press("ControlOrMeta+.");
  await expect(chat.overlay).toBeHidden();
  await keyboard.press("ControlOrMeta+Shift+O");
  await expect(chat.messages).toHaveCount(0);
  await expect(chat.composer).toBeFocused();
});

test("a button that asks and vanishes leaves the keyboard in the conversation", async ({ chat }) => {
  await chat.page.getByRole("button", { name: "Hello" }).press("Enter");
  await expect(chat.messages).toHaveCount(2);
  await expect(chat.page.getByRole("log", { name: "Conversation" })).toBeFocused();
});

test("Shift+Enter is a new line, Enter sends it as typed", async ({ chat }) => {
  await chat.page.keyboard.type("first");
  await chat.page.keyboard.press("Shift+Enter");
  await chat.page.keyboard.type("second");
  await expect(chat.composer).toHaveValue("first\nsecond");
  const [request] = await Promise.all([chat.page.waitForRequest("**/api/chat"), chat.page.keyboard.press("Enter")]);
  expect(request.postDataJSON().messages).toEqual([{ role: "user", content: "first\nsecond" }]);
});

test("blank input is not sent", async ({ chat }) => {
  await chat.ask("  \n ");
  await expect(chat.messages).toHaveCount(0);
});

test("ui-C19: Enter that confirms an input method's conversion does not send", async ({ chat }) => {
  const session = await chat.page.context().newCDPSession(chat.page);
  await session.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
  await session.send("Input.dispatchKeyEvent", {
    type: "rawKeyDown",
    key: "Process",
    code: "Enter",
    windowsVirtualKeyCode: 229,
  });
  await session.send("Input.insertText", { text: "日本" });
  await expect(chat.composer).toHaveValue("日本");
  await expect(chat.messages).toHaveCount(0);
  await chat.page.keyboard.press("Enter");
  await expect(chat.messages.first()).toContainText("日本");
});

test("ui-C19: Safari's late keydown with keyCode 229 does not send", async ({ chat }) => {
  await chat.composer.fill("変換");
  await chat.composer.evaluate((box) => {
    box.dispatchEvent(new CompositionEvent("compositionend", { data: "変換", bubbles: true }));
    box.dispatchEvent(
      new KeyboardEvent("keydown", {
        key: "Enter",
        keyCode: 229,
        bubbles: true,
        cancelable: true,
      } as KeyboardEventInit),
    );
  });
  await expect(chat.messages).toHaveCount(0);
});

test("a draft can be typed while an answer streams, and keeps the focus", async ({ chat }) => {
  await chat.ask("long");
  await chat.answerIs("streaming");
  await chat.page.keyboard.type("next question");
  await expect(chat.composer).toHaveValue("next question");
  await chat.answerIs("done");
  await expect(chat.composer).toBeFocused();
  await expect(chat.composer).toHaveValue("next question");
});
