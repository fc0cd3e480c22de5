import type { ReplyReport } from "./report";

/** What the browser says of a stream once its body has ended (Resource Timing); null where it does not say. */
export interface StreamEntry {
  /** `performance.now()` when the request began to leave. */
  requestStart: number | null;
  protocol: string | null;
  reused: boolean | null;
  bytes: number | null;
  decodedBytes: number | null;
}

const STREAM = "/api/chat";
/** The page's clock and the browser's are rounded apart; a request that waits for a socket begins all the same. */
const BEFORE_MS = 1;
const AFTER_MS = 1_000;

/** Does `entry` tell of the request that a page sent at `sent`? */
export function isStreamOf(entry: PerformanceResourceTiming, sent: number | undefined): boolean {
  const began = entry.startTime - (sent ?? Number.POSITIVE_INFINITY);
  return entry.name.endsWith(STREAM) && began >= -BEFORE_MS && began < AFTER_MS;
}

export function streamEntry(entry: PerformanceResourceTiming): StreamEntry {
  const told = entry.requestStart > 0;
  return {
    requestStart: entry.requestStart || null,
    protocol: entry.nextHopProtocol || null,
    reused: told ? entry.connectEnd <= entry.connectStart : null,
    bytes: entry.encodedBodySize || null,
    decodedBytes: entry.decodedBodySize || null,
  };
}

export function wireOf(entry: StreamEntry | undefined, headerBytes: number | null): ReplyReport["wire"] {
  const bytes = entry?.bytes ?? null;
  const decoded = entry?.decodedBytes ?? null;
  return {
    request_header_bytes: headerBytes,
    bytes,
    decoded_bytes: decoded,
    ratio: bytes && decoded ? decoded / bytes : null,
    protocol: entry?.protocol ?? null,
    reused: entry?.reused ?? null,
  };
}
