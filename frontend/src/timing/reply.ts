import type { ReplyClock } from "./clock";
import type { Figures } from "./figures";
import { told } from "./missing";
import { accepted, grainOf } from "./offset";
import type { ReplyReport } from "./report";
import { wireOf } from "./resource";
import { between } from "./stages";

/** Bins of the histogram of gaps between tokens, milliseconds. */
const GAP_EDGES = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1_000];

/** All that is known of a reply now. */
export function replyReport(clock: ReplyClock): ReplyReport {
  const { id, page, state, start, done, chunks } = clock;
  const ttft = firstText(clock);
  const figures = chunks.count();
  return {
    id,
    generation: start?.generation ?? null,
    model: start?.model ?? null,
    state,
    asked_at: new Date(clock.wall + page.keydown).toISOString(),
    ttft_ms: ttft.paint_ms,
    ttft,
    ...told(clock),
    usage: done?.usage ?? null,
    prompt_tokens: done?.usage.prompt_tokens ?? start?.prompt_tokens ?? null,
    tokens: done?.seq ?? figures.tokens,
    ...pace(figures, clock.jumped),
    chunks: figures.chunks,
    tokens_per_chunk: figures.chunks > 0 ? figures.tokens / figures.chunks : null,
    wire: wireOf(clock.stream, start?.request_header_bytes ?? null),
    dropped_frames: figures.droppedFrames,
    clock: acceptedAt(clock),
    page: { ...page },
    server: { ...clock.server },
    timeline: chunks.timeline(),
  };
}

function firstText({ page, hidden, jumped }: ReplyClock): ReplyReport["ttft"] {
  if (jumped) return { byte_ms: null, parse_ms: null, paint_ms: null };
  return {
    byte_ms: between(page.keydown, page.read),
    parse_ms: between(page.keydown, page.parsed),
    paint_ms: hidden === "before the paint" ? null : between(page.keydown, page.painted),
  };
}

/** How fast the tokens came; nothing where the clock jumped among them. */
function pace({ gaps, paints, tokensPerSecond }: Readonly<Figures>, jumped: boolean) {
  const at = (tally: typeof gaps, share: number) => (jumped ? null : tally.percentile(share));
  return {
    tokens_per_s: jumped ? null : tokensPerSecond,
    itl_ms: { p50: at(gaps, 0.5), p95: at(gaps, 0.95), p99: at(gaps, 0.99) },
    itl_histogram: jumped
      ? []
      : gaps.histogram(GAP_EDGES).map(({ upto, weight }) => ({ upto_ms: upto, tokens: weight })),
    paint_ms: { p50: at(paints, 0.5), p95: at(paints, 0.95) },
  };
}

function acceptedAt({ page, offset, stream, jumped }: ReplyClock): ReplyReport["clock"] {
  if (jumped || page.sent === undefined) return { accepted_at_ms: null, error_ms: null };
  const earliest = Math.max(page.sent, stream?.requestStart ?? 0);
  return accepted(earliest, offset.latest, grainOf(page.sent, page.read, page.started));
}
