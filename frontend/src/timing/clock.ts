import type { Times } from "../connection/pipeline";
import type { Delta, Done, Marks, Start } from "../wire/types.gen";
import { Chunks } from "./chunks";
import { Offset } from "./offset";
import type { StreamEntry } from "./resource";
import type { PageMarks } from "./stages";

/** The wall clock and the page's may run apart by this much before one of them is taken to have jumped. */
const JUMP_MS = 1_000;

/** All times of one reply, as they come; what they mean is worked out only when a report is asked for. */
export class ReplyClock {
  /** Of the message that shows the reply. */
  readonly id: string;
  readonly page: PageMarks;
  readonly server: Marks = {};
  readonly offset = new Offset();
  readonly chunks = new Chunks(this.offset);
  state = "waiting";
  start: Start | undefined;
  done: Done | undefined;
  /** Comes after the end, or never. */
  stream: StreamEntry | undefined;
  /** Its token was refused, and it was sent again with a new one. */
  signedInAgain = false;
  hidden: "never" | "before the paint" | "later" = "never";
  #visibleSince = 0;
  #jumped = false;
  #settled = false;
  /** Wall clock less `performance.now()`. */
  readonly wall = wallOffset();

  /** `keydown` is the event's own time, not that of its handler. */
  constructor(id: string, keydown: number) {
    this.id = id;
    this.page = { keydown };
  }

  /** Sets a mark of the page; the first setting holds. */
  mark(name: "answered" | "committed", at: number): void {
    this.page[name] ??= at;
  }

  /** The request leaves. Called again where a refused token made it leave again: what was before is then its capture. */
  sent(at: number): void {
    this.signedInAgain = this.page.sent !== undefined;
    this.page.sent = at;
    // Rounded apart, the event's clock and the page's can cross by a tenth of a millisecond.
    this.page.keydown = Math.min(this.page.keydown, at);
  }

  started(start: Start, { read, parsed }: Times): void {
    this.page.started = parsed;
    this.start = start;
    Object.assign(this.server, start.timing);
    if (start.timing.started != null) this.offset.offer(read, start.timing.started, false);
  }

  delta({ text, tokens, at, timing }: Delta, times: Times): void {
    this.chunks.push(times, at ?? null, tokens);
    if (timing) Object.assign(this.server, timing);
    if (text === "" || this.page.read !== undefined) return;
    this.page.read = times.read;
    this.page.parsed = times.parsed;
    const left = this.server.first_byte ?? at;
    if (left != null) this.offset.offer(times.read, left, true);
  }

  /** The first `chunks` chunks are on the screen since `at`. */
  painted(chunks: number, at: number): void {
    this.chunks.painted(chunks, at, this.#visibleSince);
    if (this.page.painted !== undefined) return;
    this.page.painted = at;
    this.#watchWall();
  }

  /** The reply is over; `done` where the server said so itself. */
  ended(at: number, state: string, done: Done | undefined): void {
    this.page.ended = at;
    this.state = state;
    this.done = done;
    if (done) Object.assign(this.server, done.timing);
    this.#watchWall();
  }

  /** The page is hidden now, or seen again. A hidden page is painted when it is seen, and its timers are late. */
  visibility(hidden: boolean, at: number): void {
    if (this.#settled) return;
    this.#visibleSince = hidden ? Number.POSITIVE_INFINITY : at;
    if (!hidden || this.hidden === "before the paint") return;
    this.hidden = this.page.painted === undefined ? "before the paint" : "later";
  }

  /** A clock jumped while the reply came, or the machine slept. */
  get jumped(): boolean {
    return this.#jumped;
  }

  /** True once, when the reply has ended and its first text, if it has any, is painted. */
  settle(): boolean {
    const { committed, painted, ended } = this.page;
    if (this.#settled || ended === undefined || (committed !== undefined && painted === undefined)) return false;
    this.#settled = true;
    return true;
  }

  #watchWall(): void {
    this.#jumped ||= Math.abs(wallOffset() - this.wall) > JUMP_MS;
  }
}

function wallOffset(): number {
  return Date.now() - performance.now();
}
