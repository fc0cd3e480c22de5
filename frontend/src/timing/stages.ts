import type { Marks } from "../wire/types.gen";

/** The seven words, in the order that a request passes them. */
export const STAGES = ["capture", "connection", "routing", "admission", "prefill", "decode", "assembly"] as const;
export type Stage = (typeof STAGES)[number];

/** Milliseconds spent in each stage; null where a mark is missing. */
export type Durations = Record<Stage, number | null>;

/** The browser's marks of one reply, milliseconds of `performance.now()`. */
export interface PageMarks {
  keydown: number;
  /** `fetch` called. */
  sent?: number;
  /** Response headers there. */
  answered?: number;
  /** First event parsed. */
  started?: number;
  /** First text parsed, put into the document, painted. */
  parsed?: number;
  committed?: number;
  painted?: number;
  /** The end heard. */
  ended?: number;
}

type Mark = number | null | undefined;

/**
 * What each stage took. The two clocks are never compared: each difference is taken on one of them. What the network took
 * is the round trip that the page saw, less the time that the server says it had the request.
 */
export function stageDurations(page: PageMarks, server: Marks): Durations {
  const roundTrip = between(page.sent, page.answered);
  const sending = between(server.first_token, server.first_byte);
  const painting = between(page.parsed, page.painted);
  return {
    capture: between(page.keydown, page.sent),
    connection: roundTrip === null || server.queued == null ? null : Math.max(0, roundTrip - server.queued),
    routing: between(server.accepted, server.body),
    admission: between(server.body, server.shaped),
    prefill: between(server.shaped, server.first_token),
    decode: between(server.first_token, server.finished),
    assembly: painting === null ? null : painting + (sending ?? 0),
  };
}

function between(from: Mark, to: Mark): number | null {
  return from == null || to == null ? null : Math.max(0, to - from);
}
