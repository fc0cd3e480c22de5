import { droppedFrames } from "./frames";
import { Tally } from "./tally";
import { type Chunk, Timeline } from "./timeline";

/** Fewer tokens say nothing about a rate. */
const MIN_TOKENS_FOR_RATE = 10;

/** The figures of a reply's chunks, as far as they are counted. Tokens are counted, never chunks. Memory is bounded. */
export class Figures {
  /** Milliseconds before each token; the gap before a chunk is shared evenly by its tokens. */
  readonly gaps = new Tally();
  /** Milliseconds from a chunk's bytes read to its text painted. */
  readonly paints = new Tally();
  readonly timeline = new Timeline();
  chunks = 0;
  tokens = 0;
  droppedFrames = 0;
  /** When the last tokens were read. */
  lastRead: number | undefined;
  #first: Chunk | undefined;
  #lastPainted: number | undefined;

  /** Tokens a second after the first chunk, or null below ten tokens. */
  get tokensPerSecond(): number | null {
    if (!this.#first || this.lastRead === undefined || this.tokens < MIN_TOKENS_FOR_RATE) return null;
    const took = this.lastRead - this.#first.read;
    return took > 0 ? ((this.tokens - this.#first.tokens) * 1_000) / took : null;
  }

  /** Counts that `chunk` came, the next of the reply. */
  came(chunk: Chunk): void {
    this.chunks += 1;
    if (chunk.tokens === 0) return;
    if (this.lastRead !== undefined) this.gaps.add((chunk.read - this.lastRead) / chunk.tokens, chunk.tokens);
    this.#first ??= chunk;
    this.lastRead = chunk.read;
    this.tokens += chunk.tokens;
  }

  /** Keeps `chunk`, and counts its paint where it came to a page that was `seen`. */
  shown(chunk: Chunk, seen: boolean): void {
    this.timeline.push(chunk);
    if (chunk.painted === null || !seen) return;
    this.paints.add(chunk.painted - chunk.read, 1);
    // Of those painted together the oldest waited longest.
    if (chunk.painted !== this.#lastPainted) this.droppedFrames += droppedFrames(chunk.painted - chunk.parsed);
    this.#lastPainted = chunk.painted;
  }
}
