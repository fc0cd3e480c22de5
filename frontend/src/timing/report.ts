import type { Marks, Rows, Usage } from "../wire/types.gen";

/** What a page says of its replies: the export's JSON, and `window.firstlight.report()`. Times are milliseconds. */
export interface Report {
  version: 1;
  /** The browser's own name for itself, and when the report was made (ISO 8601). */
  browser: string;
  made_at: string;
  replies: ReplyReport[];
}

/** One reply. What is not known is null, and `missing` says why. */
export interface ReplyReport {
  /** The message that shows it. */
  id: string;
  generation: string | null;
  model: string | null;
  state: string;
  /** Wall clock (ISO 8601) of the keydown. */
  asked_at: string;
  /** Keydown to the painted first text. */
  ttft_ms: number | null;
  /** Keydown to the first text's bytes read, to its event parsed, to its paint (the same as `ttft_ms`). */
  ttft: { byte_ms: number | null; parse_ms: number | null; paint_ms: number | null };
  /** The seven stages and `unaccounted`; where none is null they add up to `ttft_ms`. None is negative. */
  rows: { [Row in keyof Required<Rows>]: number | null };
  /** Why a row, or the whole waterfall, cannot be told, in words for people. */
  missing: string[];
  usage: Usage | null;
  prompt_tokens: number | null;
  /** Tokens that have arrived. */
  tokens: number;
  /** Null below ten tokens. */
  tokens_per_s: number | null;
  itl_ms: { p50: number | null; p95: number | null; p99: number | null };
  /** Tokens by the gap before them: each bin goes up to `upto_ms` (the last has no end, null). */
  itl_histogram: { upto_ms: number | null; tokens: number }[];
  /** A chunk's bytes read to its text painted. */
  paint_ms: { p50: number | null; p95: number | null };
  chunks: number;
  tokens_per_chunk: number | null;
  /** Known once the browser has said so, at the stream's end. `ratio` is decoded over wire. */
  wire: {
    request_header_bytes: number | null;
    bytes: number | null;
    decoded_bytes: number | null;
    ratio: number | null;
    protocol: string | null;
    reused: boolean | null;
  };
  dropped_frames: number;
  /** The page's time at which the server accepted the request; the true one lies within `error_ms` of it. */
  clock: { accepted_at_ms: number | null; error_ms: number | null };
  /** Raw marks: the page's, of `performance.now()`; the server's, after it accepted the request. */
  page: Record<string, number>;
  server: Marks;
  /** Every chunk: bytes read, event parsed, painted (`performance.now()`), handed to the socket (server's clock). */
  timeline: { read: number; parsed: number; painted: number | null; at: number | null; tokens: number }[];
}

/** What a reply under way is doing, for the stage clock. */
export interface Phase {
  name: "sending" | "queued" | "prefill" | "decode" | "over";
  /** In words: `queued`, `prefill 1,204 tokens`, `decode 41 tok/s`. */
  text: string;
  /** `performance.now()` when it began. */
  since: number;
}
