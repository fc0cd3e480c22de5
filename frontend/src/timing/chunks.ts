import type { Times } from "../connection/pipeline";
import { droppedFrames } from "./frames";
import { Tally } from "./tally";
import { Timeline } from "./timeline";

/** Fewer tokens say nothing about a rate. */
const MIN_TOKENS_FOR_RATE = 10;

/** What came of a reply, chunk by chunk. Tokens are counted, never chunks. Memory is bounded. */
export class Chunks {
  readonly timeline = new Timeline();
  /** Milliseconds before each token; the gap before a chunk is shared evenly by its tokens. */
  readonly gaps = new Tally();
  /** Milliseconds from a chunk's bytes read to its text painted. */
  readonly paints = new Tally();
  #tokens = 0;
  #droppedFrames = 0;
  #first: { read: number; tokens: number } | undefined;
  #lastRead: number | undefined;

  get tokens(): number {
    return this.#tokens;
  }

  get droppedFrames(): number {
    return this.#droppedFrames;
  }

  /** When the last tokens were read. */
  get lastRead(): number | undefined {
    return this.#lastRead;
  }

  /** Tokens a second after the first chunk, or null below ten tokens. */
  get tokensPerSecond(): number | null {
    if (!this.#first || this.#lastRead === undefined || this.#tokens < MIN_TOKENS_FOR_RATE) return null;
    const took = this.#lastRead - this.#first.read;
    return took > 0 ? ((this.#tokens - this.#first.tokens) * 1000) / took : null;
  }

  /** A chunk came; `at` is when it left the server, on its clock. */
  push({ read, parsed }: Times, at: number | null, tokens: number): void {
    this.timeline.push(read, parsed, at, tokens);
    if (tokens === 0) return;
    if (this.#lastRead !== undefined) this.gaps.add((read - this.#lastRead) / tokens, tokens);
    this.#first ??= { read, tokens };
    this.#lastRead = read;
    this.#tokens += tokens;
  }

  /** The first `count` chunks are on the screen since `at`; those that came before `visibleSince` say nothing of frames. */
  painted(count: number, at: number, visibleSince: number): void {
    const shown = this.timeline.painted(count, at).filter(({ read }) => read >= visibleSince);
    for (const { read } of shown) this.paints.add(at - read, 1);
    const [oldest] = shown;
    if (oldest) this.#droppedFrames += droppedFrames(at - oldest.parsed);
  }
}
