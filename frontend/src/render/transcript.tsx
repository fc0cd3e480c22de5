import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Message } from "../conversation/reducer";
import type { Session } from "../conversation/session";
import type { Ledger } from "../timing/ledger";
import type { TimingView } from "../timing/overlay/view";
import { DownIcon } from "./icons";
import { QuestionView, ReplyView } from "./message";
import { StickToEnd } from "./stick";

interface Props {
  session: Session;
  ledger: Ledger;
  view: TimingView;
  welcome: VNode;
}

/** The conversation, or `welcome` while there is none. */
export function Transcript({ session, ledger, view: timing, welcome }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const stick = useSignal<StickToEnd | undefined>(undefined);
  const away = useComputed(() => stick.value?.pinned.value === false);
  const views = useRef(new WeakMap<Message, VNode>());
  const messages = session.messages.value;

  useEffect(() => {
    if (scroller.current && column.current) stick.value = new StickToEnd(scroller.current, column.current);
  }, []);
  // Whoever asks wants to see the reply, wherever they were reading; an emptied conversation has only its beginning.
  useEffect(() => {
    stick.value?.jump();
    // A button that asked ("Try again", an example) is gone now, and took the keyboard's place in the page with it.
    if (document.activeElement === document.body) scroller.current?.focus();
  }, [messages.length, messages.at(-1)?.id]);
  const jump = () => {
    stick.peek()?.jump();
    scroller.current?.focus();
  };

  // A message that is the same object as before gets the same node, at which the diff stops.
  const view = (message: Message): VNode => {
    const known = views.current.get(message);
    if (known) return known;
    const node =
      message.role === "user" ? (
        <QuestionView key={message.id} question={message} />
      ) : (
        <ReplyView key={message.id} reply={message} session={session} ledger={ledger} view={timing} />
      );
    views.current.set(message, node);
    return node;
  };

  return (
    <main class="stage">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div class="scroller" ref={scroller} role="log" aria-label="Conversation" aria-live="off" tabIndex={0}>
        <div class="column" ref={column}>
          {messages.map(view)}
        </div>
      </div>
      {messages.length === 0 && <div class="blank scroller">{welcome}</div>}
      {away.value && (
        <button type="button" class="jump round" aria-label="Jump to the end" onClick={jump}>
          <DownIcon />
        </button>
      )}
    </main>
  );
}
