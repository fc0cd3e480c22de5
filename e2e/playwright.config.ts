import { defineConfig } from "@playwright/test";
import { launchOptions } from "./browser.ts";

export default defineConfig({
  testDir: ".",
  outputDir: ".results",
  workers: 1,
  timeout: 60_000,
  forbidOnly: Boolean(process.env["CI"]),
  reporter: [["list"], ["./figures-reporter.ts"]],
  use: { launchOptions: launchOptions(), viewport: { width: 1280, height: 800 }, screenshot: "only-on-failure" },
  projects: [
    { name: "scripted", testIgnore: ["latency*.spec.ts", "engine.spec.ts"] },
    { name: "latency", testMatch: "latency*.spec.ts" },
    { name: "engine", testMatch: "engine.spec.ts", timeout: 300_000 },
  ],
});
