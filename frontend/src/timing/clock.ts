import type { Delta, Done, Marks, Start, Usage } from "../wire/types.gen";
import { percentile, type Sample } from "./percentile";
import { type Durations, type PageMarks, STAGES, stageDurations } from "./stages";

/** One delta: when it was parsed and painted (`performance.now()`), and the tokens in it. */
interface Chunk {
  parsed: number;
  painted: number | undefined;
  tokens: number;
}

/** Fewer tokens say nothing about a rate. */
const MIN_TOKENS_FOR_RATE = 10;

/** All times of one reply. Tokens are counted, never chunks. */
export class ReplyClock {
  readonly page: PageMarks;
  readonly server: Marks = {};
  generation: string | null = null;
  state = "waiting";
  usage: Usage | undefined;
  #chunks: Chunk[] = [];
  #paintedChunks = 0;
  #measured = false;
  #promptTokens: number | null = null;

  /** `keydown` is the event's own time, not that of its handler. */
  constructor(keydown: number) {
    this.page = { keydown };
  }

  /** Sets a mark of the page; the first setting holds. */
  mark(name: Exclude<keyof PageMarks, "keydown">, at: number): void {
    this.page[name] ??= at;
  }

  started(start: Start, at: number): void {
    this.mark("started", at);
    this.generation = start.generation;
    this.#promptTokens = start.prompt_tokens;
    Object.assign(this.server, start.timing);
  }

  delta(delta: Delta, at: number): void {
    this.#chunks.push({ parsed: at, painted: undefined, tokens: delta.tokens });
    if (delta.text) this.mark("parsed", at);
    if (delta.timing) Object.assign(this.server, delta.timing);
  }

  /** The reply is over; `done` where the server said so itself. */
  ended(at: number, state: string, done: Done | undefined): void {
    this.mark("ended", at);
    this.state = state;
    if (!done) return;
    this.usage = done.usage;
    Object.assign(this.server, done.timing);
  }

  /** The first `chunks` chunks are on the screen since `at`. */
  painted(chunks: number, at: number): void {
    this.mark("painted", at);
    while (this.#paintedChunks < chunks) {
      const chunk = this.#chunks[this.#paintedChunks];
      if (chunk) chunk.painted = at;
      this.#paintedChunks += 1;
    }
  }

  /** Milliseconds from the keydown to the painted first text. */
  get ttft(): number | null {
    return this.page.painted === undefined ? null : this.page.painted - this.page.keydown;
  }

  get tokens(): number {
    return this.usage?.completion_tokens ?? this.#chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  }

  get promptTokens(): number | null {
    return this.usage?.prompt_tokens ?? this.#promptTokens;
  }

  get durations(): Durations {
    return stageDurations(this.page, this.server);
  }

  /** Tokens a second after the first chunk, or null below ten tokens. */
  get tokensPerSecond(): number | null {
    const [first, ...rest] = this.#chunks;
    const last = rest.at(-1);
    if (!first || !last || this.tokens < MIN_TOKENS_FOR_RATE) return null;
    const tokens = rest.reduce((sum, chunk) => sum + chunk.tokens, 0);
    return last.parsed > first.parsed ? (tokens * 1000) / (last.parsed - first.parsed) : null;
  }

  /** Milliseconds between tokens as they arrive; the gap before a chunk is shared evenly by its tokens. */
  interTokenLatency(share: number): number | null {
    const gaps = this.#chunks.slice(1).map((chunk, index): Sample => {
      const before = this.#chunks[index] ?? chunk;
      return { value: (chunk.parsed - before.parsed) / Math.max(1, chunk.tokens), weight: chunk.tokens };
    });
    return percentile(gaps, share);
  }

  /** Milliseconds from parsed to painted, of the chunks that are on the screen. */
  paintDelay(share: number): number | null {
    const shown = this.#chunks.slice(0, this.#paintedChunks);
    return percentile(
      shown.map(({ parsed, painted }) => ({ value: (painted ?? parsed) - parsed, weight: 1 })),
      share,
    );
  }

  /**
   * Leaves User Timing measures under the seven words, laid end to end from the keydown on: once, when the reply has
   * ended and its first text is painted, whichever comes last.
   */
  measure(): void {
    const { committed, painted, ended } = this.page;
    if (this.#measured || ended === undefined || (committed !== undefined && painted === undefined)) return;
    this.#measured = true;
    let start = this.page.keydown;
    for (const stage of STAGES) {
      const duration = this.durations[stage];
      if (duration === null) continue;
      performance.measure(stage, { start, duration, detail: { generation: this.generation } });
      // Decoding goes on while the first text is assembled and painted.
      if (stage !== "decode") start += duration;
    }
  }
}
