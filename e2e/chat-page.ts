import { expect, type Locator, type Page } from "@playwright/test";
import type { ReplyReport, Report } from "../frontend/src/timing/report.ts";

declare global {
  interface Window {
    firstlight: { report(): Report };
  }
}

/** The page as a person sees it. */
export class ChatPage {
  readonly page: Page;
  readonly composer: Locator;
  readonly send: Locator;
  readonly stop: Locator;
  readonly newChat: Locator;
  readonly timing: Locator;
  readonly overlay: Locator;
  readonly messages: Locator;

  constructor(page: Page) {
    this.page = page;
    this.composer = page.getByRole("textbox", { name: "Message" });
    this.send = page.getByRole("button", { name: "Send" });
    this.stop = page.getByRole("button", { name: "Stop" });
    this.newChat = page.getByRole("button", { name: "New chat" });
    this.timing = page.getByRole("button", { name: "Timing", exact: true });
    this.overlay = page.getByRole("region", { name: "Timing" });
    this.messages = page.getByRole("log", { name: "Conversation" }).locator("article");
  }

  async open(url: string): Promise<void> {
    await this.page.goto(url);
    await expect(this.composer).toBeFocused();
  }

  /** Types `text` and presses Enter. */
  async ask(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press("Enter");
  }

  /** The newest answer; `.locator("[data-text]")` holds its words. */
  answer(): Locator {
    return this.page.locator('article[data-role="assistant"]').last();
  }

  answerText(): Locator {
    return this.answer().locator("[data-text]");
  }

  async answerIs(state: string): Promise<void> {
    await expect(this.answer()).toHaveAttribute("data-state", state);
  }

  report(): Promise<Report> {
    return this.page.evaluate(() => window.firstlight.report());
  }

  async lastReply(): Promise<ReplyReport> {
    const reply = (await this.report()).replies.at(-1);
    if (!reply) throw new Error("the page reports no reply");
    return reply;
  }

  /** The page's report of the newest reply, once its first word is painted. */
  async paintedReply(): Promise<ReplyReport> {
    await expect.poll(async () => (await this.lastReply()).ttft_ms, { intervals: [20] }).not.toBeNull();
    return this.lastReply();
  }

  /** Asks, waits for the end, and gives the page's report of the reply. */
  async replyTo(text: string): Promise<ReplyReport> {
    await this.ask(text);
    await this.answerIs("done");
    return this.paintedReply();
  }
}
