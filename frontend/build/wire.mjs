// Turns shared/wire.schema.json into src/wire/types.gen.ts; with --check only says whether the committed file still agrees.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const SCHEMA = new URL("../../shared/wire.schema.json", import.meta.url);
const TYPES = new URL("../src/wire/types.gen.ts", import.meta.url);

const schema = JSON.parse(await readFile(SCHEMA, "utf8"));
const types = await compile(schema, "Wire", {
  bannerComment:
    "// Generated from shared/wire.schema.json by `npm run wire`; edit backend/firstlight/wire.py instead.",
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
  printWidth: 120,
});

if (process.argv.includes("--check")) {
  const committed = await readFile(TYPES, "utf8").catch(() => "");
  if (committed !== types) {
    console.error("frontend/src/wire/types.gen.ts has drifted from shared/wire.schema.json: run `npm run wire`.");
    process.exit(1);
  }
} else {
  await writeFile(TYPES, types);
}
