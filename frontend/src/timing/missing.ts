import type { ReplyClock } from "./clock";
import { type Rows, UNTOLD, waterfall, withoutNegative } from "./rows";
import { STAGES } from "./stages";

/** The rows of a reply that can be told, and why the others, or other figures, cannot: nothing is made up. */
export function told(clock: ReplyClock): { rows: Rows; missing: string[] } {
  const missing = [...history(clock), ...ofEnd(clock)];
  if (clock.jumped) return { rows: UNTOLD, missing };
  const laid = waterfall(clock.page, clock.server, clock.offset.latest);
  const { rows, missing: negative } = withoutNegative(laid);
  if (clock.hidden === "before the paint") rows.assembly = null;
  return { rows, missing: [...missing, ...untimed(clock, laid), ...negative] };
}

function history({ signedInAgain, hidden, jumped, chunks }: ReplyClock): string[] {
  const { each } = chunks.count().timeline;
  return said([
    [signedInAgain, "The page signed in again before it was sent; the time for that is in capture."],
    [jumped, "A clock jumped while it came, or the machine slept: no times can be told."],
    [
      hidden === "before the paint",
      "The page was hidden before the first word was painted: when it was seen is not known.",
    ],
    [hidden === "later", "The page was hidden for a while: paints of that time are not counted."],
    [each > 1, `The timeline is thinned out: each entry stands for ${each} chunks.`],
  ]);
}

function ofEnd({ page, state, done, stream }: ReplyClock): string[] {
  const ended = page.ended !== undefined;
  const noWord = page.painted === undefined && page.committed === undefined;
  return said([
    [!ended && page.painted === undefined, "The first word is not painted yet."],
    [ended && noWord, `It ended (${state}) before its first word.`],
    [ended && !noWord && page.painted === undefined, `It ended (${state}) before its first word was painted.`],
    [ended && !done, `It ended (${state}) without the server's last figures: tokens in and cached are not known.`],
    [ended && !stream, "The browser told nothing of its connection (Resource Timing)."],
  ]);
}

/** What the server should have told by now, and did not. */
function untimed({ page, offset }: ReplyClock, rows: Rows): string[] {
  if (page.read === undefined) return [];
  const untold = STAGES.filter((stage) => rows[stage] === null && stage !== "assembly");
  return said([
    [offset.latest === undefined, "The server did not say when its events left."],
    [untold.length > 0, `The server's marks for ${untold.join(", ")} are missing.`],
  ]);
}

function said(sentences: [boolean, string][]): string[] {
  return sentences.flatMap(([holds, sentence]) => (holds ? [sentence] : []));
}
