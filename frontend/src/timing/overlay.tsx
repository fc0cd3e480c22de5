import type { Signal } from "@preact/signals";
import { CloseIcon } from "../render/icons";
import { count, duration, figure } from "./format";
import type { Ledger } from "./ledger";
import type { ReplyReport } from "./report";
import { laid } from "./waterfall";

const LISTED = 8;

const NOTES: Partial<Record<string, string>> = {
  connection: "network, both ways",
  decode: "up to the first text",
};

/** The timing of the last reply, and a line for each of the last few. */
export function Overlay({ ledger, shown }: { ledger: Ledger; shown: Signal<"shown" | undefined> }) {
  // Read, so that the component follows it.
  ledger.news.value;
  const replies = ledger.reports();
  const last = replies.at(-1);
  return (
    <section class="overlay" aria-label="Timing">
      <div class="overlay-head">
        <h2>Timing</h2>
        <button
          type="button"
          class="tool"
          aria-label="Close timing"
          onClick={() => {
            shown.value = undefined;
          }}
        >
          <CloseIcon />
        </button>
      </div>
      {last ? <Figures reply={last} /> : <p class="aside">Ask something, and its times appear here.</p>}
      {replies.length > 1 && <Recent replies={replies.slice(-LISTED).reverse()} />}
    </section>
  );
}

function Figures({ reply }: { reply: ReplyReport }) {
  const { ttft_ms: ttft, itl_ms: gaps, usage } = reply;
  return (
    <>
      <p class="ttft">
        <b data-metric="ttft_ms">{ttft === null ? "–" : Math.round(ttft)}</b>
        <span>
          ms from key to <br />
          first word painted
        </span>
      </p>
      <dl class="metrics">
        <Metric name="tokens_per_s" label="tokens/s" value={figure(reply.tokens_per_s)} />
        <Metric name="itl_p50_ms" label="gap p50, ms" value={figure(gaps.p50)} />
        <Metric name="itl_p95_ms" label="gap p95, ms" value={figure(gaps.p95)} />
      </dl>
      <Waterfall rows={reply.rows} />
      <dl class="metrics">
        <Metric name="tokens_in" label="tokens in" value={count(reply.prompt_tokens)} />
        <Metric name="tokens_cached" label="cached" value={count(usage?.cached_tokens ?? null)} />
        <Metric name="tokens_out" label="tokens out" value={count(reply.tokens)} />
      </dl>
    </>
  );
}

function Metric({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd data-metric={name}>{value}</dd>
    </div>
  );
}

function Waterfall({ rows }: { rows: ReplyReport["rows"] }) {
  return (
    <table class="waterfall">
      <caption>The seven stages, up to the first paint</caption>
      <tbody>
        {laid(rows).map(({ stage, start, length }) => (
          <tr key={stage} data-stage={stage} title={NOTES[stage]}>
            <th scope="row">{stage}</th>
            <td class="track" aria-hidden="true">
              <span class="bar" style={{ insetInlineStart: `${start * 100}%`, inlineSize: `${length * 100}%` }} />
            </td>
            <td class="took">{duration(rows[stage])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Recent({ replies }: { replies: readonly ReplyReport[] }) {
  return (
    <table class="recent">
      <caption>Last replies</caption>
      <thead>
        <tr>
          <th scope="col">first word</th>
          <th scope="col">tokens/s</th>
          <th scope="col">tokens</th>
          <th scope="col">end</th>
        </tr>
      </thead>
      <tbody>
        {replies.map((reply) => (
          <tr key={reply.id}>
            <td>{duration(reply.ttft_ms)}</td>
            <td>{figure(reply.tokens_per_s)}</td>
            <td>{count(reply.tokens)}</td>
            <td>{reply.state}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
