import { accessSync, constants } from "node:fs";
import type { LaunchOptions } from "@playwright/test";

const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * How to start Chromium: `$CHROMIUM`, else an installed one, else Playwright's own download.
 * Root needs `--no-sandbox`; the other flags keep the browser from talking to anybody but the page.
 */
export function launchOptions(): LaunchOptions {
  const executablePath = process.env["CHROMIUM"] || INSTALLED.find(runnable);
  const args = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return executablePath ? { executablePath, args } : { args };
}

function runnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
