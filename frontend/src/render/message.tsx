import { Component } from "preact";
import { useMemo } from "preact/hooks";
import type { Note, Question, Reply } from "../conversation/reducer";
import type { Session } from "../conversation/session";
import type { Ledger } from "../timing/ledger";
import { StageClock } from "../timing/overlay/stage-clock";
import { Summary } from "../timing/overlay/summary";
import type { TimingView } from "../timing/overlay/view";
import { Blocks } from "./blocks";
import { useSeconds } from "./seconds";

export function QuestionView({ question }: { question: Question }) {
  return (
    <article class="message" data-role="user" data-state="done" aria-label="You">
      <Text id={question.id} text={question.text} />
    </article>
  );
}

interface ReplyProps {
  reply: Reply;
  session: Session;
  ledger: Ledger;
  view: TimingView;
}

export function ReplyView({ reply, session, ledger, view }: ReplyProps) {
  const { id, state, text, note, shortened } = reply;
  const live = state === "waiting" || state === "streaming";
  return (
    <article
      class="message"
      data-role="assistant"
      data-state={state}
      aria-label="Reply"
      aria-busy={state === "streaming"}
    >
      <Text id={id} text={text} session={session} />
      {live && <Now waiting={state === "waiting"} ledger={ledger} />}
      {state === "stopped" && <p class="aside">Stopped</p>}
      {shortened && <p class="aside">{shortened}</p>}
      {note && <NoteView note={note} again={(at) => session.askAgain(id, at)} />}
      {!live && <Summary id={id} ledger={ledger} view={view} />}
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

/** What the reply under way is doing; in the place where its times stand later, so that nothing moves at its end. */
function Now({ waiting, ledger }: { waiting: boolean; ledger: Ledger }) {
  return (
    <p class="aside now">
      {waiting && <span class="dots" aria-hidden="true" />}
      <StageClock ledger={ledger} />
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
