/** The states of a reply. The last four are ends: nothing changes after them. */
type ReplyState = "waiting" | "streaming" | "done" | "stopped" | "interrupted" | "refused";

/** Why a reply is not what was asked for, to be shown in its place. */
export interface Note {
  title: string;
  detail: string;
  retryable: boolean;
  /** Time of `Date.now()` before which asking again is no use. */
  retryAt?: number;
}

export interface Question {
  id: string;
  role: "user";
  text: string;
}

export interface Reply {
  id: string;
  role: "assistant";
  state: ReplyState;
  /** Empty until the end: while a reply streams, its text is kept by the renderer. */
  text: string;
  /** Why the reply is complete and yet shorter than the model wanted. */
  shortened?: string;
  note?: Note;
}

export type Message = Question | Reply;

/** What the reply came to. */
export interface Ending {
  state: Exclude<ReplyState, "waiting" | "streaming">;
  text: string;
  shortened?: string;
  note?: Note;
}

export type Action =
  | { type: "asked"; question: string; text: string; reply: string }
  | { type: "askedAgain"; instead: string; reply: string }
  | { type: "streaming"; reply: string }
  | { type: "ended"; reply: string; ending: Ending }
  | { type: "cleared" };

/** The conversation after `action`. An action that does not fit its state leaves it as it is. */
export function reduce(messages: readonly Message[], action: Action): readonly Message[] {
  switch (action.type) {
    case "asked":
      if (liveReply(messages)) return messages;
      return [...messages, { id: action.question, role: "user", text: action.text }, waiting(action.reply)];
    case "askedAgain":
      if (messages.at(-1)?.id !== action.instead || liveReply(messages)) return messages;
      return [...messages.slice(0, -1), waiting(action.reply)];
    case "streaming":
      return change(messages, action.reply, { state: "streaming" });
    case "ended":
      return change(messages, action.reply, action.ending);
    case "cleared":
      return messages.length > 0 ? [] : messages;
  }
}

/** The reply under way. There is at most one, and it is the last message. */
export function liveReply(messages: readonly Message[]): Reply | undefined {
  const last = messages.at(-1);
  return last?.role === "assistant" && isLive(last) ? last : undefined;
}

function waiting(id: string): Reply {
  return { id, role: "assistant", state: "waiting", text: "" };
}

function isLive(reply: Reply): boolean {
  return reply.state === "waiting" || reply.state === "streaming";
}

function change(messages: readonly Message[], id: string, news: Partial<Reply>): readonly Message[] {
  const reply = liveReply(messages);
  return reply?.id === id ? [...messages.slice(0, -1), { ...reply, ...news }] : messages;
}
