// Generated from shared/wire.schema.json by `npm run wire`; edit backend/firstlight/wire.py instead.

/**
 * Any document that crosses between page and server, version 1. Generated: edit wire.py.
 */
export type Wire = ChatRequest | PageTiming | Problem | Token | Stopped | Ready | StreamEvents;

/**
 * Body of `POST /api/chat`. A field left out takes the model's own default; no other field reaches the engine.
 */
export interface ChatRequest {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  messages: Message[];
  max_tokens?: number | null;
  temperature?: number | null;
  top_p?: number | null;
  /**
   * @maxItems 4
   */
  stop?: string[];
  seed?: number | null;
}
/**
 * One turn of the conversation.
 */
export interface Message {
  role: "assistant" | "system" | "user";
  content: string;
}
/**
 * Body of `POST /api/generations/{id}/timing`: what the page saw of a reply, milliseconds.
 *
 * `ttft` is keydown to painted first text, `paint_p95` a chunk's bytes read to its text painted. `reused`: the request
 * went over a connection that was there already.
 */
export interface PageTiming {
  rows: Rows;
  ttft: number;
  itl_p50?: number | null;
  itl_p95?: number | null;
  paint_p95?: number | null;
  reused?: boolean | null;
  protocol?: ("h2" | "h3" | "http/1.0" | "http/1.1") | null;
}
/**
 * The waterfall of one reply, milliseconds. With `unaccounted` the rows are the whole TTFT. Absent: not known.
 */
export interface Rows {
  capture?: number | null;
  connection?: number | null;
  routing?: number | null;
  admission?: number | null;
  prefill?: number | null;
  decode?: number | null;
  assembly?: number | null;
  unaccounted?: number | null;
}
/**
 * Body of a refusal, `application/problem+json` (RFC 9457). `field` is a JSON pointer (RFC 6901) into the body.
 */
export interface Problem {
  type:
    | "context_length"
    | "draining"
    | "engine_unavailable"
    | "forbidden"
    | "gone"
    | "headers_too_large"
    | "internal"
    | "invalid_request"
    | "method_not_allowed"
    | "not_acceptable"
    | "not_found"
    | "overloaded"
    | "quota_exceeded"
    | "rate_limited"
    | "timeout"
    | "too_large"
    | "unauthenticated"
    | "unsupported_media";
  title: string;
  status: number;
  detail: string;
  field?: string | null;
  limit?: number | null;
  retry_after?: number | null;
  request_id?: string | null;
}
/**
 * Answer of `POST /auth/guest`: a bearer token for `expires_in` seconds.
 */
export interface Token {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
}
/**
 * Answer of `DELETE /api/generations/{id}`, the same however often it is asked.
 */
export interface Stopped {
  generation: string;
  state: "finished" | "stopped";
}
/**
 * Answer of `/livez` and `/readyz`. `reason` says in one line why it is not ready.
 */
export interface Ready {
  status: "draining" | "failed" | "ok" | "starting";
  model?: string | null;
  reason?: string | null;
}
/**
 * The type of an event's `data:` line by the name on its `event:` line.
 */
export interface StreamEvents {
  start: Start;
  delta: Delta;
  done: Done;
  error: Error;
}
/**
 * The engine has taken the prompt. First event of every stream; `generation` names the reply in later calls.
 *
 * `queued`: the engine computes for as many as it can, so this reply waits. `report`: the page is asked to post its
 * `PageTiming` once the reply has ended. `request_header_bytes` is what the request's head took on the wire.
 */
export interface Start {
  generation: string;
  seq: 0;
  model: string;
  prompt_tokens: number;
  timing: Marks;
  request_header_bytes?: number | null;
  queued?: boolean;
  report?: boolean;
}
/**
 * Server marks of one reply, milliseconds after `accepted`; a mark not reached yet is absent.
 */
export interface Marks {
  accepted?: number | null;
  headers?: number | null;
  routed?: number | null;
  body?: number | null;
  verified?: number | null;
  bucket?: number | null;
  cleaned?: number | null;
  shaped?: number | null;
  tokenised?: number | null;
  queued?: number | null;
  started?: number | null;
  scheduled?: number | null;
  first_token?: number | null;
  first_text?: number | null;
  first_byte?: number | null;
  finished?: number | null;
}
/**
 * More text. `seq` counts the reply's tokens up to the end of this text: it grows by `tokens` each time.
 *
 * `at` is when it was handed to the socket, in milliseconds after `accepted`.
 */
export interface Delta {
  seq: number;
  text: string;
  tokens: number;
  at?: number | null;
  timing?: Marks | null;
}
/**
 * The reply is complete. `sha256` (lower-case hex) is over the UTF-8 bytes of the text of all deltas from seq 0.
 */
export interface Done {
  seq: number;
  finish_reason: "length" | "quota" | "stop" | "stopped";
  usage: Usage;
  timing: Marks;
  sha256: string;
}
/**
 * Tokens of one reply. `cached_tokens` is the part of `prompt_tokens` found in the prefix cache.
 */
export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
}
/**
 * The reply ends here and is not complete. `retry_after` is in seconds.
 */
export interface Error {
  seq: number;
  type:
    | "context_length"
    | "draining"
    | "engine_unavailable"
    | "forbidden"
    | "gone"
    | "headers_too_large"
    | "internal"
    | "invalid_request"
    | "method_not_allowed"
    | "not_acceptable"
    | "not_found"
    | "overloaded"
    | "quota_exceeded"
    | "rate_limited"
    | "timeout"
    | "too_large"
    | "unauthenticated"
    | "unsupported_media";
  message: string;
  retryable: boolean;
  retry_after?: number | null;
}
