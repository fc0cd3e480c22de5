import type { Marks } from "../wire/types.gen";
import type { ReplyReport } from "./report";

/** What Perfetto and chrome://tracing open: the JSON object format of the Trace Event Format, times in microseconds. */
export interface Trace {
  displayTimeUnit: "ms";
  traceEvents: TraceEvent[];
}

type TraceEvent =
  | { ph: "M"; name: "process_name" | "thread_name"; pid: number; tid: number; args: { name: string } }
  | { ph: "X"; name: string; cat: string; pid: number; tid: number; ts: number; dur: number; args: object };

type Thread = (typeof THREADS)[number];
const THREADS = ["page", "network", "server", "engine"] as const;
const PID = 1;

/** Spans between marks of the server, none overlapping another of its thread. */
const SPANS: readonly [Thread, string, keyof Marks, keyof Marks][] = [
  ["server", "connection", "accepted", "headers"],
  ["server", "routing", "headers", "routed"],
  ["server", "body", "routed", "body"],
  ["server", "admission", "body", "shaped"],
  ["server", "tokenise", "shaped", "tokenised"],
  ["server", "hand over", "tokenised", "queued"],
  ["server", "assembly", "first_text", "first_byte"],
  ["server", "stream", "first_byte", "finished"],
  ["engine", "queue", "queued", "scheduled"],
  ["engine", "prefill", "scheduled", "first_token"],
  ["engine", "decode", "first_token", "finished"],
];

/** Replies as one trace, on the page's clock; the server's times stand where the clock's estimate puts them. */
export function toTrace(replies: readonly ReplyReport[]): Trace {
  const names: TraceEvent[] = THREADS.map((name, tid) => ({
    ph: "M",
    name: "thread_name",
    pid: PID,
    tid,
    args: { name },
  }));
  const process: TraceEvent = { ph: "M", name: "process_name", pid: PID, tid: 0, args: { name: "First Light" } };
  const events = replies.flatMap((reply) => [...onPage(reply), ...onServer(reply)]);
  return { displayTimeUnit: "ms", traceEvents: [process, ...names, ...events] };
}

function onPage({ page, timeline, generation, state, rows }: ReplyReport): TraceEvent[] {
  const chunks = timeline.map(({ read, parsed, painted, at, tokens }, index) => {
    // Cut where the next one came: events of a thread may hold one another, but not overlap.
    const end = Math.min(painted ?? parsed, timeline[index + 1]?.read ?? Number.POSITIVE_INFINITY);
    return span("page", "chunk", read, end, { tokens, parsed, painted, at });
  });
  const { keydown, sent, read } = page;
  // One read may bring both: the start is then parsed after the text was read.
  const started = page["started"] && Math.min(page["started"], read ?? Number.POSITIVE_INFINITY);
  return [
    ...between("page", "capture", keydown, sent, { generation, state, rows }),
    ...between("page", "wait for start", sent, started, {}),
    ...between("page", "wait for text", started, read, {}),
    ...chunks,
  ];
}

function onServer({ page, server, clock, timeline }: ReplyReport): TraceEvent[] {
  const accepted = clock.accepted_at_ms;
  if (accepted === null) return [];
  const { error_ms } = clock;
  const onPageClock = (mark: number | null | undefined) => (mark == null ? undefined : accepted + mark);
  const flights = timeline.flatMap(({ read, at, tokens }, index) => {
    const left = Math.max(onPageClock(at) ?? read, timeline[index - 1]?.read ?? 0);
    return at === null ? [] : [span("network", "chunk", left, read, { tokens, at })];
  });
  return [
    ...between("network", "request", page["sent"], accepted, { error_ms }),
    ...flights,
    ...SPANS.flatMap(([thread, name, from, to]) =>
      between(thread, name, onPageClock(server[from]), onPageClock(server[to]), {}),
    ),
  ];
}

function between(thread: Thread, name: string, from: number | undefined, to: number | undefined, args: object) {
  return from === undefined || to === undefined ? [] : [span(thread, name, from, to, args)];
}

function span(thread: Thread, name: string, from: number, to: number, args: object): TraceEvent {
  const dur = Math.max(0, to - from) * 1_000;
  return { ph: "X", name, cat: thread, pid: PID, tid: THREADS.indexOf(thread), ts: from * 1_000, dur, args };
}
