/** Lower-case hex SHA-256 of the UTF-8 bytes of `text`. */
export async function sha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return hex(await digest(bytes));
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (globalThis.crypto?.subtle) return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  // Plain http from another host is no secure context and has no crypto.subtle. Loaded only there.
  const { sha256: portable } = await import("@noble/hashes/sha2.js");
  return portable(bytes);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
