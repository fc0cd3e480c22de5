import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Session } from "../conversation/session";
import { SendIcon, StopIcon } from "../render/icons";
import type { Draft } from "./draft";
import { sends } from "./keys";

const TOUCH = matchMedia("(hover: none) and (pointer: coarse)");
const GROWS = CSS.supports("field-sizing", "content");
const MAX_ROWS = 10;

/**
 * The box to write in. Its text lives in the element alone: typing renders nothing but the button's state, and the send
 * path is one task from the keydown to `fetch`.
 */
export function Composer({ session, draft }: { session: Session; draft: Draft }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const composedAt = useRef(0);
  const blank = useSignal(true);
  const busy = session.busy.value;

  const changed = () => {
    if (!box.current) return;
    blank.value = isBlank(box.current.value);
    // Lines are counted, not measured: measuring would make the browser lay the page out at each key.
    if (!GROWS) box.current.rows = Math.min(MAX_ROWS, box.current.value.split("\n").length);
  };
  const send = (at: number) => {
    const element = box.current;
    if (!element || isBlank(element.value) || session.busy.peek()) return;
    session.ask(element.value, at);
    element.value = "";
    changed();
  };
  const pressed = (event: KeyboardEvent) => {
    if (!sends(event, composedAt.current, TOUCH.matches)) return;
    event.preventDefault();
    if (!event.repeat) send(event.timeStamp);
  };

  const focus = () => box.current?.focus();

  useEffect(() => {
    if (!box.current) return;
    box.current.value = draft.attach(box.current);
    box.current.focus();
    changed();
  }, [draft]);

  return (
    <div class="composer">
      <textarea
        ref={box}
        rows={1}
        aria-label="Message"
        placeholder="Ask anything"
        autocomplete="off"
        enterkeyhint={TOUCH.matches ? "enter" : "send"}
        onInput={changed}
        onKeyDown={pressed}
        onCompositionEnd={(event) => {
          composedAt.current = event.timeStamp;
        }}
      />
      {busy ? (
        <Round label="Stop" icon={<StopIcon />} press={() => session.stop()} then={focus} />
      ) : (
        <Round label="Send" icon={<SendIcon />} press={send} then={focus} disabled={blank.value} />
      )}
    </div>
  );
}

interface RoundProps {
  label: string;
  icon: VNode;
  press: (at: number) => void;
  /** Gives the focus back to the box, since a press can make the button itself vanish. */
  then: () => void;
  disabled?: boolean;
}

function Round({ label, icon, press, then, disabled = false }: RoundProps) {
  const clicked = (event: MouseEvent) => {
    press(event.timeStamp);
    then();
  };
  return (
    <button type="button" class="round" aria-label={label} title={label} disabled={disabled} onClick={clicked}>
      {icon}
    </button>
  );
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
