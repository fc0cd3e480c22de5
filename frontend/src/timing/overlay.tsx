import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { CloseIcon } from "../render/icons";
import type { ReplyClock } from "./clock";
import { count, duration, figure } from "./format";
import type { Ledger } from "./ledger";
import type { Durations } from "./stages";
import { rows } from "./waterfall";

/** How often the figures of a reply under way are read. */
const REFRESH_MS = 250;
const LISTED = 8;

const NOTES: Partial<Record<string, string>> = {
  connection: "network, both ways",
  decode: "after the first token",
};

/** The timing of the last reply, and a line for each of the last few. */
export function Overlay({ ledger, shown }: { ledger: Ledger; shown: Signal<"shown" | undefined> }) {
  const clocks = ledger.clocks.value;
  const last = clocks.at(-1);
  useRefresh(last !== undefined && last.page.ended === undefined);
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
      {last ? <Figures clock={last} /> : <p class="aside">Ask something, and its times appear here.</p>}
      {clocks.length > 1 && <Recent clocks={clocks.slice(-LISTED).reverse()} />}
    </section>
  );
}

function Figures({ clock }: { clock: ReplyClock }) {
  const { usage } = clock;
  return (
    <>
      <p class="ttft">
        <b data-metric="ttft_ms">{clock.ttft === null ? "–" : Math.round(clock.ttft)}</b>
        <span>
          ms from key to <br />
          first word painted
        </span>
      </p>
      <dl class="metrics">
        <Metric name="tokens_per_s" label="tokens/s" value={figure(clock.tokensPerSecond)} />
        <Metric name="itl_p50_ms" label="gap p50, ms" value={figure(clock.interTokenLatency(0.5))} />
        <Metric name="itl_p95_ms" label="gap p95, ms" value={figure(clock.interTokenLatency(0.95))} />
      </dl>
      <Waterfall durations={clock.durations} />
      <dl class="metrics">
        <Metric name="tokens_in" label="tokens in" value={count(clock.promptTokens)} />
        <Metric name="tokens_cached" label="cached" value={count(usage?.cached_tokens ?? null)} />
        <Metric name="tokens_out" label="tokens out" value={count(clock.tokens)} />
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

function Waterfall({ durations }: { durations: Durations }) {
  return (
    <table class="waterfall">
      <caption>The seven stages, up to the first paint</caption>
      <tbody>
        {rows(durations).map(({ stage, start, length, open }) => (
          <tr key={stage} data-stage={stage} title={NOTES[stage]}>
            <th scope="row">{stage}</th>
            <td class="track" aria-hidden="true">
              <span
                class={open ? "bar open" : "bar"}
                style={{ insetInlineStart: `${start * 100}%`, inlineSize: `${length * 100}%` }}
              />
            </td>
            <td class="took">{duration(durations[stage])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Recent({ clocks }: { clocks: readonly ReplyClock[] }) {
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
        {clocks.map((clock) => (
          <tr key={clock.page.keydown}>
            <td>{duration(clock.ttft)}</td>
            <td>{figure(clock.tokensPerSecond)}</td>
            <td>{count(clock.tokens)}</td>
            <td>{clock.state}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Renders the component again every quarter of a second while `running`. */
function useRefresh(running: boolean): void {
  const tick = useSignal(0);
  // Read, so that the component follows it.
  tick.value;
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => {
      tick.value += 1;
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [running]);
}
