import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Ledger } from "../ledger";
import type { Phase } from "../report";

/** A usual reply is there before this many milliseconds, and needs no clock. */
const PATIENCE_MS = 350;
/** After this many milliseconds in one stage the words say that nothing came. */
const SILENT_MS = 3_000;

/** What the reply under way is doing, in words that run. */
export function StageClock({ ledger }: { ledger: Ledger }) {
  const came = useRef(performance.now());
  const text = useComputed(() => {
    // Read, so that the clock follows it.
    ledger.news.value;
    const phase = ledger.phase();
    const now = performance.now();
    return phase && now - came.current >= PATIENCE_MS ? stageText(phase, now) : "";
  });
  return <span class="stage-clock">{text}</span>;
}

/** `prefill 1,204 tokens 1.2 s`, then `prefill 1,204 tokens, nothing for 4 s`: slow and stuck look different. */
export function stageText({ name, text, since }: Phase, now: number): string {
  if (name === "decode" || name === "over") return text;
  const took = Math.max(0, now - since);
  if (took >= SILENT_MS) return `${text}, nothing for ${Math.floor(took / 1_000)} s`;
  return `${text} ${(took / 1_000).toFixed(1)} s`;
}
