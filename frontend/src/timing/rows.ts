import type { Marks } from "../wire/types.gen";
import type { ReplyReport } from "./report";
import { between, type PageMarks, STAGES, serverParts, sum } from "./stages";

export type Rows = ReplyReport["rows"];

/** Top to bottom. */
export const ROWS = [...STAGES, "unaccounted"] as const;
export type Row = (typeof ROWS)[number];

/**
 * The waterfall from the keydown to the painted first text, in milliseconds. `latest` is the latest time of the page at
 * which the server can have accepted the request (`Offset`): what lies between `sent` and it is the network, there and
 * back, since one exchange cannot tell the two ways apart. What the first text took longer than the fastest event is
 * `unaccounted`. So the rows add up to painted - keydown, whatever `latest` is.
 */
export function waterfall(page: PageMarks, server: Marks, latest: number | undefined): Rows {
  const parts = serverParts(server);
  const arrived = between(server.first_byte, page.read);
  return {
    capture: between(page.keydown, page.sent),
    ...parts,
    connection: sum(between(page.sent, latest), parts.connection),
    assembly: sum(between(page.read, page.painted), parts.assembly),
    unaccounted: between(latest, arrived),
  };
}

/** All rows, none of them told. */
export const UNTOLD: Rows = waterfall({ keydown: 0 }, {}, undefined);

/** `rows` without those below zero, and a sentence for each: only a clock that jumped makes such a row. */
export function withoutNegative(rows: Rows): { rows: Rows; missing: string[] } {
  const below = ROWS.filter((name) => (rows[name] ?? 0) < 0);
  return {
    rows: { ...rows, ...Object.fromEntries(below.map((name) => [name, null])) },
    missing: below.map((name) => `The row ${name} came out below zero: a clock jumped, or runs unevenly.`),
  };
}
