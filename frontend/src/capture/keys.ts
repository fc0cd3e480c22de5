/** What of a keydown decides whether it sends. */
export type Key = Pick<
  KeyboardEvent,
  "key" | "shiftKey" | "altKey" | "ctrlKey" | "metaKey" | "isComposing" | "keyCode" | "timeStamp"
>;

/** `keyCode` of a key that went to an input method. */
const TO_INPUT_METHOD = 229;

/**
 * Whether this key sends the draft. An Enter that confirms an input method's conversion does not: Chromium and Firefox
 * say `isComposing`; Safari ends the composition first and then sends the keydown with keyCode 229; and a key that went
 * down before the composition ended (`composedAt`) is the one that ended it. On a touch keyboard Enter is a new line.
 */
export function sends(event: Key, composedAt: number, touch: boolean): boolean {
  if (event.key !== "Enter" || event.shiftKey || event.altKey) return false;
  if (event.isComposing || event.keyCode === TO_INPUT_METHOD || event.timeStamp <= composedAt) return false;
  return !touch || event.ctrlKey || event.metaKey;
}

/** What the page does on its shortcuts. */
export interface Shortcuts {
  stop(): void;
  newChat(): void;
  toggleTiming(): void;
}

/** Escape stops, Ctrl/Cmd+Shift+O begins a new chat, Ctrl/Cmd+. shows or hides the timing. */
export function listenForShortcuts(target: EventTarget, shortcuts: Shortcuts): void {
  target.addEventListener("keydown", (event) => {
    const key = event as KeyboardEvent;
    const action = key.isComposing ? undefined : shortcut(key, shortcuts);
    if (!action) return;
    key.preventDefault();
    action();
  });
}

function shortcut(event: KeyboardEvent, { stop, newChat, toggleTiming }: Shortcuts): (() => void) | undefined {
  if (event.key === "Escape") return stop;
  if (!event.ctrlKey && !event.metaKey) return undefined;
  if (event.shiftKey && event.key.toLowerCase() === "o") return newChat;
  return event.key === "." ? toggleTiming : undefined;
}
