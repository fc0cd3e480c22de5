import { type Message, type Reply, reduce } from "./reducer";

/** Opens the tab's storage, or throws where the browser forbids it. */
type Open = () => Storage;

const KEY = "firstlight.conversation";

const CUT_BY_RELOAD = {
  title: "Interrupted",
  detail: "The page was left while this reply was being written.",
  retryable: true,
};

const STATES = new Set<unknown>(["waiting", "streaming", "done", "stopped", "interrupted", "refused"]);

/** The conversation that this tab had before it was loaded again; a reply that was under way is an interrupted one. */
export function restore(open: Open): readonly Message[] {
  let stored: unknown;
  try {
    stored = JSON.parse(open().getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(stored) || !stored.every(isMessage)) return [];
  const last = stored.at(-1);
  if (last?.role !== "assistant") return stored;
  return reduce(stored, {
    type: "ended",
    reply: last.id,
    ending: { state: "interrupted", text: last.text, note: CUT_BY_RELOAD },
  });
}

/** Keeps the conversation for a reload of this tab. One too large for the storage loses its older half. */
export function save(open: Open, messages: readonly Message[]): void {
  try {
    open().setItem(KEY, JSON.stringify(messages));
  } catch {
    // Two messages a turn: an even cut leaves each question with its reply.
    if (messages.length > 2) save(open, messages.slice(Math.ceil(messages.length / 4) * 2));
  }
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null) return false;
  const { id, role, text, state, note } = value as Partial<Reply>;
  if (typeof id !== "string" || typeof text !== "string") return false;
  if ((role as string) === "user") return true;
  return role === "assistant" && STATES.has(state) && (note === undefined || typeof note.detail === "string");
}
