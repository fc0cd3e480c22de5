import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { CloseIcon } from "../../render/icons";
import type { Ledger } from "../ledger";
import type { ReplyReport } from "../report";
import { Exports } from "./exports";
import { ReplyFigures } from "./reply";
import { SessionFigures } from "./session";
import { stageText } from "./stage-clock";
import type { TimingView } from "./view";

type Part = "Reply" | "Session";
const PARTS: readonly Part[] = ["Reply", "Session"];

/** The times of one reply, or of all of this page load. It renders when the ledger has news. */
export function Overlay({ ledger, view }: { ledger: Ledger; view: TimingView }) {
  // Read, so that the component follows it.
  ledger.news.value;
  const part = useSignal<Part>("Reply");
  const heading = useRef<HTMLHeadingElement>(null);
  const { pinned } = view;
  const ids = ledger.ids();
  const id = pinned !== undefined && ids.includes(pinned) ? pinned : ids.at(-1);

  useEffect(() => {
    if (pinned === undefined) return;
    part.value = "Reply";
    heading.current?.focus();
  }, [pinned]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    // Elsewhere this key stops the reply.
    event.stopPropagation();
    view.close();
  };

  return (
    <section class="overlay" aria-label="Timing" onKeyDown={onKeyDown}>
      <div class="overlay-head">
        <h2 ref={heading} tabIndex={-1}>
          Timing
        </h2>
        <Parts part={part} />
        <button type="button" class="tool" aria-label="Close timing" onClick={() => view.close()}>
          <CloseIcon />
        </button>
      </div>
      {id === undefined && <p class="aside">Ask something, and its times appear here.</p>}
      {id !== undefined && part.value === "Reply" && <One id={id} ids={ids} ledger={ledger} view={view} />}
      {id !== undefined && part.value === "Session" && <SessionFigures replies={ledger.reports()} />}
      {id !== undefined && <Exports reports={() => ledger.reports()} />}
    </section>
  );
}

function Parts({ part }: { part: Signal<Part> }) {
  return (
    <div class="parts">
      {PARTS.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={part.value === name}
          onClick={() => {
            part.value = name;
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

interface OneProps {
  id: string;
  ids: readonly string[];
  ledger: Ledger;
  view: TimingView;
}

function One({ id, ids, ledger, view }: OneProps) {
  const reply = ledger.report(id);
  if (!reply) return null;
  const pinned = view.pinned === id;
  return (
    <>
      <div class="which">
        <p>
          {pinned ? "Kept at reply" : "Following the latest: reply"} {ids.indexOf(id) + 1} of {ids.length}
        </p>
        {pinned && (
          <button type="button" class="pill" onClick={() => view.follow()}>
            Follow the latest
          </button>
        )}
      </div>
      <Now reply={reply} ledger={ledger} />
      <ReplyFigures reply={reply} />
    </>
  );
}

/** What the reply is doing while it is under way, and how it ended. */
function Now({ reply, ledger }: { reply: ReplyReport; ledger: Ledger }) {
  const live = reply.state === "waiting" || reply.state === "streaming";
  const phase = live ? ledger.phase() : undefined;
  return (
    <p class="now" data-live={live || undefined}>
      {live && <span class="dots" aria-hidden="true" />}
      {phase ? stageText(phase, performance.now()) : reply.state}
      {reply.model !== null && <span class="model">{reply.model}</span>}
    </p>
  );
}
