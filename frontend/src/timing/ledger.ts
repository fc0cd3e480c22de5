import { type ReadonlySignal, signal } from "@preact/signals";
import type { Marks } from "../wire/types.gen";
import type { ReplyClock } from "./clock";
import type { Durations, PageMarks } from "./stages";

/** A reply as tools read it from `window.firstlight.report()`; times in milliseconds. */
export interface ReplyReport {
  generation: string | null;
  state: string;
  ttft_ms: number | null;
  tokens: number;
  tokens_per_s: number | null;
  itl_ms: { p50: number | null; p95: number | null };
  /** Parsed to painted, over all chunks. */
  paint_ms: { p50: number | null; p95: number | null };
  marks: Durations;
  /** The page's marks, of `performance.now()`, and the server's, since it accepted the request. Never on one clock. */
  page: PageMarks;
  server: Marks;
}

/** Replies kept; the oldest goes first. */
const KEPT = 50;

/** The replies of this page load, oldest first, one under way included. */
export class Ledger {
  readonly #clocks = signal<readonly ReplyClock[]>([]);

  get clocks(): ReadonlySignal<readonly ReplyClock[]> {
    return this.#clocks;
  }

  add(clock: ReplyClock): void {
    this.#clocks.value = [...this.#clocks.value, clock].slice(-KEPT);
  }

  /** A clock has news: whoever watches looks again. */
  touch(): void {
    this.#clocks.value = [...this.#clocks.value];
  }

  report(): { replies: ReplyReport[] } {
    return { replies: this.#clocks.value.map(toReport) };
  }
}

function toReport(clock: ReplyClock): ReplyReport {
  return {
    generation: clock.generation,
    state: clock.state,
    ttft_ms: clock.ttft,
    tokens: clock.tokens,
    tokens_per_s: clock.tokensPerSecond,
    itl_ms: { p50: clock.interTokenLatency(0.5), p95: clock.interTokenLatency(0.95) },
    paint_ms: { p50: clock.paintDelay(0.5), p95: clock.paintDelay(0.95) },
    marks: clock.durations,
    page: { ...clock.page },
    server: { ...clock.server },
  };
}
