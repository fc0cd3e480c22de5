import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { compress } from "./build/compress.ts";

/** As the server sends it (`backend/firstlight/routing`), so that what it forbids fails while developing too. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types app",
].join("; ");

/** The first paint waits for the script: before it there is nothing to show, and it knows whether to show it dark. */
const paintWithScript: Plugin = {
  name: "paint-with-script",
  transformIndexHtml: {
    order: "post",
    handler: (html) => html.replaceAll('<script type="module"', '<script type="module" blocking="render"'),
  },
};

const BACKEND = "http://127.0.0.1:8000";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [paintWithScript, compress()],
  build: {
    target: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    assetsInlineLimit: 0,
  },
  server: {
    host: "127.0.0.1",
    headers: { "Content-Security-Policy": POLICY },
    // The error overlay of the tool is markup that Trusted Types refuse.
    hmr: { overlay: false },
    // The budgets lie in shared/.
    fs: { allow: [".."] },
    proxy: Object.fromEntries(["/api", "/auth", "/livez", "/readyz"].map((path) => [path, BACKEND])),
  },
  test: {
    // Those that need a document say so in their first line.
    environment: "node",
    pool: "threads",
    include: ["src/**/*.test.{ts,tsx}"],
  },
});
