import { useComputed } from "@preact/signals";
import { count, duration, figure } from "../format";
import type { Ledger } from "../ledger";
import type { ReplyReport } from "../report";
import type { TimingView } from "./view";

/** The quiet line below a reply that is over; it opens the overlay at that reply. */
export function Summary({ id, ledger, view }: { id: string; ledger: Ledger; view: TimingView }) {
  const text = useComputed(() => {
    const reply = ledger.report(id);
    // The first word may be painted after the end; once it is, there is nothing more to follow.
    if (reply?.ttft_ms === null) ledger.news.value;
    return reply && summary(reply);
  });
  if (text.value === undefined) return null;
  return (
    <button type="button" class="summary" onClick={(event) => view.open(id, event.currentTarget)}>
      <span class="unseen">Show the timing of this reply: </span>
      {text}
    </button>
  );
}

export function summary({ ttft_ms, tokens_per_s, tokens }: ReplyReport): string {
  const first = ttft_ms === null ? "no time to first word" : `${duration(ttft_ms)} to first word`;
  if (tokens_per_s !== null) return `${first} · ${figure(tokens_per_s)} tokens/s`;
  return tokens > 0 ? `${first} · ${count(tokens)} ${tokens === 1 ? "token" : "tokens"}` : first;
}
