import type { Times } from "../connection/pipeline";
import { Figures } from "./figures";
import type { Offset } from "./offset";
import type { Chunk } from "./timeline";

/** Chunks that may wait to be counted; a hidden page paints none for as long as it is hidden. */
const MAX_NOTED = 1_024;

interface Noted extends Chunk {
  /** It came to a page that was seen, so that its paint says something. */
  seen: boolean;
}

/**
 * The chunks of a reply. They are only noted when they come and when they are painted, which costs next to nothing;
 * they are counted when somebody asks, or when too many wait.
 */
export class Chunks {
  readonly #offset: Offset;
  readonly #figures = new Figures();
  #noted: Noted[] = [];
  /** How many were noted before those; how many of those are painted, and how many have counted as come. */
  #before = 0;
  #painted = 0;
  #came = 0;

  constructor(offset: Offset) {
    this.#offset = offset;
  }

  /** A chunk came; `at` is when it left the server, on its clock. */
  push({ read, parsed }: Times, at: number | null, tokens: number): void {
    if (this.#noted.length === MAX_NOTED) this.#count(MAX_NOTED / 2);
    this.#noted.push({ read, parsed, painted: null, at, tokens, seen: true });
  }

  /** The first `count` chunks are on the screen since `at`; those read before `visibleSince` came to a hidden page. */
  painted(count: number, at: number, visibleSince: number): void {
    for (; this.#before + this.#painted < count; this.#painted += 1) {
      const chunk = this.#noted[this.#painted];
      if (!chunk) return;
      chunk.painted = at;
      chunk.seen = chunk.read >= visibleSince;
    }
  }

  /** The figures of all that came. */
  count(): Readonly<Figures> {
    this.#count(0);
    return this.#figures;
  }

  /** All of them, or what stands for them once they are many. */
  timeline(): Chunk[] {
    const { timeline } = this.count();
    return [...timeline.entries, ...this.#noted].map(({ read, parsed, painted, at, tokens }) => ({
      read,
      parsed,
      painted,
      at,
      tokens,
    }));
  }

  /** Counts what was noted: that it came, and where it is painted that too. At least `free` need not be noted any longer. */
  #count(free: number): void {
    for (const chunk of this.#noted.slice(this.#came)) {
      this.#figures.came(chunk);
      if (chunk.at !== null) this.#offset.offer(chunk.read, chunk.at, false);
    }
    const shown = this.#noted.splice(0, Math.max(this.#painted, free));
    for (const chunk of shown) this.#figures.shown(chunk, chunk.seen);
    this.#before += shown.length;
    this.#painted = Math.max(0, this.#painted - shown.length);
    this.#came = this.#noted.length;
  }
}
