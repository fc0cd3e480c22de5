import { createHash } from "node:crypto";
import { afterEach, expect, it, vi } from "vitest";
import { sha256 } from "./digest";

afterEach(() => vi.unstubAllGlobals());

const text = "你好 🌍 é\n".repeat(100);
const expected = createHash("sha256").update(text).digest("hex");

it("is the digest of the UTF-8 bytes", async () => {
  expect(await sha256(text)).toBe(expected);
});

it("is the same without crypto.subtle, which plain http from another host lacks", async () => {
  vi.stubGlobal("crypto", {});
  expect(await sha256(text)).toBe(expected);
});
