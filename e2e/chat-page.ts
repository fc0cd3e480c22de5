import { expect, type Locator, type Page } from "@playwright/test";

export interface ReplyReport {
  generation: string | null;
  state: string;
  ttft_ms: number | null;
  tokens: number;
  itl_ms: { p50: number | null; p95: number | null };
  marks: Record<Stage, number | null>;
  /** The server's marks, milliseconds after it accepted the request (`Marks` in the wire contract). */
  server: Partial<Record<"queued" | "first_token", number>>;
}

export const STAGES = ["capture", "connection", "routing", "admission", "prefill", "decode", "assembly"] as const;
type Stage = (typeof STAGES)[number];

declare global {
  interface Window {
    firstlight: { report(): { replies: ReplyReport[] } };
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
    this.timing = page.getByRole("button", { name: "Timing" });
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

  async replies(): Promise<ReplyReport[]> {
    return this.page.evaluate(() => window.firstlight.report().replies);
  }

  async lastReply(): Promise<ReplyReport> {
    const reply = (await this.replies()).at(-1);
    if (!reply) throw new Error("the page reports no reply");
    return reply;
  }
}
