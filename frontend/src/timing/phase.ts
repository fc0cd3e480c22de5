import type { ReplyClock } from "./clock";
import type { Figures } from "./figures";
import { count, figure } from "./format";
import type { Phase } from "./report";

/** Without a token for this long a reply is stuck rather than slow. */
const STUCK_MS = 2_000;

/** What the reply is doing at `now`, of `performance.now()`. */
export function phaseOf({ page, state, start, chunks }: ReplyClock, now: number): Phase {
  if (page.ended !== undefined) return { name: "over", text: state, since: page.ended };
  if (page.read !== undefined) return { name: "decode", text: decoding(chunks.count(), now), since: page.read };
  if (!start || page.started === undefined) return { name: "sending", text: "sending", since: page.keydown };
  if (start.queued) return { name: "queued", text: "queued", since: page.started };
  return { name: "prefill", text: `prefill ${count(start.prompt_tokens)} tokens`, since: page.started };
}

function decoding({ lastRead, tokensPerSecond }: Readonly<Figures>, now: number): string {
  const silent = now - (lastRead ?? now);
  if (silent >= STUCK_MS) return `decode, nothing for ${Math.floor(silent / 1_000)} s`;
  return tokensPerSecond === null ? "decode" : `decode ${figure(tokensPerSecond)} tok/s`;
}
