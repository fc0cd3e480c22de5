// Fails when what the page loads first weighs more than the bar: every script that index.html names, as gzip sends it.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const LIMIT_KB = 60;
const DIST = new URL("../dist/", import.meta.url);

const html = await readFile(new URL("index.html", DIST), "utf8");
const scripts = [...html.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, name]) => name);
const sizes = await Promise.all(
  scripts.map(async (name) => gzipSync(await readFile(new URL(name, DIST)), { level: 9 }).length),
);
const total = sizes.reduce((sum, size) => sum + size, 0) / 1000;

console.log(`initial JavaScript: ${total.toFixed(1)} kB gzip (limit ${LIMIT_KB}): ${scripts.join(", ")}`);
if (scripts.length === 0 || total > LIMIT_KB) process.exit(1);
