import { useSignal } from "@preact/signals";
import { Component } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Note, Question, Reply } from "../conversation/reducer";
import type { Session } from "../conversation/session";
import { Blocks } from "./blocks";

export function QuestionView({ question }: { question: Question }) {
  return (
    <article class="message" data-role="user" data-state="done" aria-label="You">
      <Text id={question.id} text={question.text} />
    </article>
  );
}

export function ReplyView({ reply, session }: { reply: Reply; session: Session }) {
  const { id, state, text, note, shortened } = reply;
  return (
    <article
      class="message"
      data-role="assistant"
      data-state={state}
      aria-label="Reply"
      aria-busy={state === "streaming"}
    >
      <Text id={id} text={text} session={session} />
      {state === "waiting" && <Waiting />}
      {state === "stopped" && <p class="aside">Stopped</p>}
      {shortened && <p class="aside">{shortened}</p>}
      {note && <NoteView note={note} again={(at) => session.askAgain(id, at)} />}
    </article>
  );
}

interface TextProps {
  id: string;
  text: string;
  session?: Session;
}

/** The element of a message's text. Its children belong to the renderer outside of the component tree. */
class Text extends Component<TextProps> {
  #root: HTMLElement | null = null;

  override shouldComponentUpdate(): boolean {
    return false;
  }

  override componentDidMount(): void {
    if (!this.#root) return;
    const live = this.props.session?.liveText(this.props.id);
    if (live) live.mount(this.#root);
    else new Blocks(this.#root).append(this.props.text);
  }

  override render() {
    return (
      <div
        class="text"
        data-text
        ref={(root) => {
          this.#root = root;
        }}
      />
    );
  }
}

/** Seconds of waiting before the page counts them: a usual reply is there long before. */
const PATIENCE_S = 2;

function Waiting() {
  const seconds = useSeconds(() => true);
  return (
    <p class="aside waiting">
      <span class="dots" aria-hidden="true" />
      {seconds >= PATIENCE_S && <span>Waiting for the first word, {seconds} s</span>}
    </p>
  );
}

function NoteView({ note, again }: { note: Note; again: (at: number) => void }) {
  const left = () => Math.max(0, Math.ceil(((note.retryAt ?? 0) - Date.now()) / 1000));
  useSeconds(() => left() > 0);
  const wait = useMemo(left, []);
  return (
    <div class="note">
      {/* What counts down stays out of the alert, which would be read out at each second. */}
      <p role="alert">
        <strong>{note.title}.</strong> {note.detail}{" "}
        {wait > 0 && <span class="unseen">You can try again in {wait} s.</span>}
      </p>
      {note.retryable && (
        <p class="again">
          <button type="button" class="pill" disabled={left() > 0} onClick={(event) => again(event.timeStamp)}>
            Try again
          </button>
          {left() > 0 && <span aria-hidden="true">in {left()} s</span>}
        </p>
      )}
    </div>
  );
}

/** Seconds since the component came; it renders once a second while `running` says so. */
export function useSeconds(running: () => boolean): number {
  const seconds = useSignal(0);
  useEffect(() => {
    if (!running()) return;
    const timer = setInterval(() => {
      seconds.value += 1;
      if (!running()) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return seconds.value;
}
