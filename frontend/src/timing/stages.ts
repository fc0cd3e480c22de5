import type { Marks } from "../wire/types.gen";

/** The seven words, in the order that a request passes them. */
export const STAGES = ["capture", "connection", "routing", "admission", "prefill", "decode", "assembly"] as const;
export type Stage = (typeof STAGES)[number];

/** The browser's marks of one reply, milliseconds of `performance.now()`. */
export interface PageMarks {
  /** The event's own time, not that of its handler. */
  keydown: number;
  /** `fetch` called. */
  sent?: number;
  /** Response headers there. */
  answered?: number;
  /** First event parsed. */
  started?: number;
  /** First text: its bytes read, its event parsed, put into the document, painted. */
  read?: number;
  parsed?: number;
  committed?: number;
  painted?: number;
  /** The end heard. */
  ended?: number;
}

/** The server's part of each stage up to the first text, milliseconds on its clock alone; null where a mark is missing. */
export function serverParts(server: Marks): Record<Exclude<Stage, "capture">, number | null> {
  return {
    connection: sum(between(server.accepted ?? 0, server.headers), between(server.routed, server.body)),
    routing: between(server.headers, server.routed),
    admission: between(server.body, server.shaped),
    prefill: between(server.shaped, server.first_token),
    decode: between(server.first_token, server.first_text),
    assembly: between(server.first_text, server.first_byte),
  };
}

type Time = number | null | undefined;

/** Null where one of the two is not known. */
export function between(from: Time, to: Time): number | null {
  return from == null || to == null ? null : to - from;
}

/** Null where one of the two is not known. */
export function sum(one: Time, other: Time): number | null {
  return one == null || other == null ? null : one + other;
}
