import { test as base, expect } from "@playwright/test";
import { ChatPage } from "./chat-page.ts";
import { SCRIPTED, type Server, startServer } from "./server.ts";

/** Every test has `chat`, a fresh page of a server on the scripted engine, and fails on any console error. */
export const test = base.extend<
  { chat: ChatPage; complaints: string[] },
  { server: Server; settings: Record<string, string> }
>({
  settings: [{}, { scope: "worker", option: true }],
  server: [
    async ({ settings }, use) => {
      const running = process.env["URL"];
      const server = running ? already(running) : await startServer({ ...SCRIPTED, ...settings }, 15_000);
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  complaints: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await use(complaints);
    expect(complaints, "console errors").toEqual([]);
  },
  chat: async ({ page, server, complaints: _ }, use) => {
    const chat = new ChatPage(page);
    await chat.open(server.url);
    await use(chat);
  },
});

/** A deployment that runs without us (`make latency URL=...`). */
function already(url: string): Server {
  return { url, output: () => "", stop: () => Promise.resolve() };
}

export { expect };
