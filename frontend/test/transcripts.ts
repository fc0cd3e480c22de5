import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.resolve(import.meta.dirname, "../../shared/examples/transcripts");

/** A stream as bytes, and the events that a client gets out of it, in order. */
export interface Transcript {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  events: { event: string; data: unknown }[];
}

/** The streams that both sides of the wire are tested on. */
export const transcripts: Transcript[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".sse"))
  .map((file) => {
    const name = file.slice(0, -".sse".length);
    const bytes = new Uint8Array(readFileSync(path.join(FOLDER, file)));
    return { name, bytes, events: JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), "utf8")) };
  });

export function transcript(name: string): Transcript {
  const found = transcripts.find((one) => one.name === name);
  if (!found) throw new Error(`no transcript ${name}`);
  return found;
}

/** `bytes` cut at each of `cuts` (positions in it, in any order). */
export function cut(bytes: Uint8Array<ArrayBuffer>, cuts: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const edges = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((end, index) => bytes.slice(edges[index], end));
}
