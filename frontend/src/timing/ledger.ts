import { type ReadonlySignal, signal } from "@preact/signals";
import type { ReplyClock } from "./clock";
import { phaseOf } from "./phase";
import { replyReport } from "./reply";
import type { Phase, ReplyReport } from "./report";
import { isStreamOf, streamEntry } from "./resource";

/** Replies kept; the oldest goes first. */
const KEPT = 50;
/** News of a reply under way come no more often: an open overlay renders at each, which takes a frame 20 to 30 ms. */
const EVERY_MS = 500;
/** After this long without a frame that shows text, news come by a timer: before the first text, and after it. */
const QUIET_MS = 400;
const STALLED_MS = 650;

/** The replies of this page load, oldest first, one under way included. Reports are worked out when they are asked for. */
export class Ledger {
  readonly #news = signal(0);
  readonly #clocks = new Map<string, ReplyClock>();
  /** Of replies that are over, until they have news. */
  readonly #reports = new Map<string, ReplyReport>();
  #newest: ReplyClock | undefined;
  #hidden = false;
  #told = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Changes when a reply has news; whoever reads it looks again. */
  get news(): ReadonlySignal<number> {
    return this.#news;
  }

  ids(): string[] {
    return [...this.#clocks.keys()];
  }

  /** The reply that the message `id` shows. */
  report(id: string): ReplyReport | undefined {
    const known = this.#reports.get(id);
    const clock = this.#clocks.get(id);
    if (known || !clock) return known;
    const report = replyReport(clock);
    if (isOver(clock)) this.#reports.set(id, report);
    return report;
  }

  reports(): ReplyReport[] {
    return this.ids().flatMap((id) => this.report(id) ?? []);
  }

  /** What the newest reply is doing; undefined before the first. */
  phase(): Phase | undefined {
    return this.#newest && phaseOf(this.#newest, performance.now());
  }

  add(clock: ReplyClock): void {
    if (this.#hidden) clock.visibility(true, clock.page.keydown);
    this.#clocks.set(clock.id, clock);
    this.#newest = clock;
    const [oldest] = this.#clocks.keys();
    if (oldest !== undefined && this.#clocks.size > KEPT) {
      this.#clocks.delete(oldest);
      this.#reports.delete(oldest);
    }
    this.#tell();
  }

  /** A frame of `at` shows new text; called in it, so that whoever looks again is painted in the same frame. */
  frame(at: number): void {
    // Nothing is worth delaying the first text for.
    if (at - this.#told >= EVERY_MS && this.#newest?.page.painted !== undefined) this.#tell();
  }

  /** The reply of `clock` has ended, or has late news after it. */
  ended(clock: ReplyClock): void {
    this.#reports.delete(clock.id);
    this.#tell();
  }

  /** The page is hidden now, or seen again. */
  visibility(hidden: boolean, at: number): void {
    this.#hidden = hidden;
    this.#newest?.visibility(hidden, at);
  }

  /** The browser tells of a request that is over, be it a reply's or another. */
  resource(entry: PerformanceResourceTiming): void {
    const clock = [...this.#clocks.values()].findLast(({ page }) => isStreamOf(entry, page.sent));
    if (!clock) return;
    clock.stream = streamEntry(entry);
    if (isOver(clock)) this.ended(clock);
  }

  #tell(): void {
    this.#told = performance.now();
    this.#news.value += 1;
    clearTimeout(this.#timer);
    if (!this.#newest || isOver(this.#newest)) return;
    const quiet = this.#newest.page.painted === undefined ? QUIET_MS : STALLED_MS;
    this.#timer = setTimeout(() => this.#tell(), quiet);
  }
}

function isOver({ page }: ReplyClock): boolean {
  return page.ended !== undefined;
}
