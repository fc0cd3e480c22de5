import type {
  Delta,
  Done,
  Marks,
  Problem,
  Ready,
  Start,
  StreamEvents,
  Token,
  Usage,
  Error as WireError,
} from "./types.gen";

/** One event of a reply's stream: the name on its `event:` line, and its `data:` line. */
export type StreamEvent = {
  [Name in keyof StreamEvents]: { name: Name; data: StreamEvents[Name] };
}[keyof StreamEvents];

/** A document that has a name of ours, but not its shape: the stream cannot be trusted any further. */
export class Malformed extends Error {}

type Fields = Record<string, unknown>;

/**
 * Reads one event of the stream. Names that this version does not know are skipped (undefined), so that a newer server
 * can say more; a known name with another shape throws `Malformed`, since skipping it could lose text.
 */
export function decodeEvent(name: string | undefined, json: string): StreamEvent | undefined {
  if (name !== "start" && name !== "delta" && name !== "done" && name !== "error") return undefined;
  const data = parse(json);
  if (!isFields(data)) throw new Malformed(`${name}: not an object`);
  if (name === "start" && isStart(data)) return { name, data };
  if (name === "delta" && isDelta(data)) return { name, data };
  if (name === "done" && isDone(data)) return { name, data };
  if (name === "error" && isError(data)) return { name, data };
  throw new Malformed(`${name}: unexpected shape`);
}

export function isToken(data: unknown): data is Token {
  return isFields(data) && typeof data["access_token"] === "string" && isCount(data["expires_in"]);
}

export function isProblem(data: unknown): data is Problem {
  return isFields(data) && typeof data["type"] === "string" && typeof data["detail"] === "string" && isWait(data);
}

export function isReady(data: unknown): data is Ready {
  return isFields(data) && typeof data["status"] === "string" && isOptional(isText, data["model"], data["reason"]);
}

function isStart(data: Fields): data is Fields & Start {
  return (
    data["seq"] === 0 &&
    typeof data["generation"] === "string" &&
    typeof data["model"] === "string" &&
    isCount(data["prompt_tokens"]) &&
    isMarks(data["timing"]) &&
    isOptional(isCount, data["request_header_bytes"]) &&
    isOptional(isFlag, data["queued"], data["report"])
  );
}

function isDelta(data: Fields): data is Fields & Delta {
  const { seq, text, tokens, at, timing } = data;
  const told = isOptional(isTime, at) && isOptional(isMarks, timing);
  return isCount(seq) && typeof text === "string" && isCount(tokens) && told;
}

function isDone(data: Fields): data is Fields & Done {
  return (
    isCount(data["seq"]) &&
    typeof data["finish_reason"] === "string" &&
    isUsage(data["usage"]) &&
    isMarks(data["timing"]) &&
    typeof data["sha256"] === "string"
  );
}

function isError(data: Fields): data is Fields & WireError {
  const { seq, type, message, retryable } = data;
  const named = typeof type === "string" && typeof message === "string" && typeof retryable === "boolean";
  return named && isCount(seq) && isWait(data);
}

function isUsage(data: unknown): data is Usage {
  return isFields(data) && [data["prompt_tokens"], data["completion_tokens"], data["cached_tokens"]].every(isCount);
}

function isMarks(data: unknown): data is Marks {
  return isFields(data) && isOptional(isTime, ...Object.values(data));
}

function isWait(data: Fields): boolean {
  return isOptional(isCount, data["retry_after"]);
}

/** Each is absent, null, or what `is` says. */
function isOptional(is: (value: unknown) => boolean, ...values: unknown[]): boolean {
  return values.every((value) => value == null || is(value));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isTime(value: unknown): value is number {
  return typeof value === "number";
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
