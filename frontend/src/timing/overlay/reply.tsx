import { count, duration, figure } from "../format";
import type { ReplyReport } from "../report";
import { TTFT_BUDGET_MS } from "./budget";
import { Histogram } from "./histogram";
import { Metric } from "./metric";
import { Meanings, Waterfall } from "./waterfall";

/** All figures of one reply. */
export function ReplyFigures({ reply }: { reply: ReplyReport }) {
  return (
    <>
      <FirstWord reply={reply} />
      <Waterfall reply={reply} />
      {reply.missing.length > 0 && <Missing sentences={reply.missing} />}
      <Meanings reply={reply} />
      <Pace reply={reply} />
      <Wire reply={reply} />
    </>
  );
}

function FirstWord({ reply: { ttft_ms, ttft } }: { reply: ReplyReport }) {
  return (
    <>
      <p class="ttft">
        {ttft_ms === null ? <span data-metric="ttft_ms">–</span> : <b data-metric="ttft_ms">{Math.round(ttft_ms)}</b>}
        <span>
          ms from key to
          <br />
          first word painted
          {ttft_ms !== null && ttft_ms > TTFT_BUDGET_MS && (
            <span class="over">, ▲ over its budget of {duration(TTFT_BUDGET_MS)}</span>
          )}
        </span>
      </p>
      <dl class="metrics">
        <Metric name="ttft_byte_ms" label="byte there" value={duration(ttft.byte_ms)} />
        <Metric name="ttft_parse_ms" label="parsed" value={duration(ttft.parse_ms)} />
        <Metric name="ttft_paint_ms" label="painted" value={duration(ttft.paint_ms)} />
      </dl>
    </>
  );
}

function Missing({ sentences }: { sentences: readonly string[] }) {
  return (
    <ul class="missing">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function Pace({ reply }: { reply: ReplyReport }) {
  const { itl_ms: gaps, usage } = reply;
  return (
    <>
      <h3>Tokens</h3>
      <dl class="metrics">
        <Metric name="tokens_per_s" label="tokens/s" value={figure(reply.tokens_per_s)} />
        <Metric name="chunks" label="chunks" value={count(reply.chunks)} />
        <Metric name="tokens_per_chunk" label="tokens/chunk" value={figure(reply.tokens_per_chunk)} />
        <Metric name="tokens_in" label="in" value={count(reply.prompt_tokens)} />
        <Metric name="tokens_cached" label="of these cached" value={count(usage?.cached_tokens ?? null)} />
        <Metric name="tokens_out" label="out" value={count(reply.tokens)} />
        <Metric name="itl_p50_ms" label="gap p50" value={duration(gaps.p50)} />
        <Metric name="itl_p95_ms" label="gap p95" value={duration(gaps.p95)} />
        <Metric name="itl_p99_ms" label="gap p99" value={duration(gaps.p99)} />
      </dl>
      <Histogram bins={reply.itl_histogram} />
    </>
  );
}

function Wire({ reply }: { reply: ReplyReport }) {
  const { wire, clock } = reply;
  const connection = [wire.protocol, wire.reused === null ? null : wire.reused ? "kept" : "new"];
  return (
    <>
      <h3>Wire and page</h3>
      <dl class="metrics">
        <Metric name="wire_bytes" label="bytes" value={count(wire.bytes)} />
        <Metric name="wire_ratio" label="compressed" value={wire.ratio === null ? "–" : `${figure(wire.ratio)} ×`} />
        <Metric name="request_header_bytes" label="request head" value={bytes(wire.request_header_bytes)} />
        <Metric name="connection" label="connection" value={connection.filter(Boolean).join(", ") || "–"} />
        <Metric name="paint_p95_ms" label="byte to paint p95" value={duration(reply.paint_ms.p95)} />
        <Metric name="dropped_frames" label="dropped frames" value={count(reply.dropped_frames)} />
      </dl>
      {clock.error_ms !== null && (
        <p class="aside" data-metric="clock_error_ms">
          Two clocks, compared to within ± {duration(clock.error_ms)}: the network's two ways are not told apart.
        </p>
      )}
    </>
  );
}

function bytes(value: number | null): string {
  return value === null ? "–" : `${count(value)} B`;
}
