import type { Message as WireMessage } from "../wire/types.gen";
import type { Message } from "./reducer";

/**
 * The turns that the model is shown before `text`: each question with the reply it got. A question without one (refused,
 * or stopped before its first word) is left out, since most chat templates want the roles to alternate.
 */
export function turns(messages: readonly Message[], text: string): WireMessage[] {
  const past = messages.flatMap((message, index): WireMessage[] => {
    const reply = messages[index + 1];
    if (message.role !== "user" || reply?.role !== "assistant" || reply.state === "refused" || !reply.text) return [];
    return [
      { role: "user", content: message.text },
      { role: "assistant", content: reply.text },
    ];
  });
  return [...past, { role: "user", content: text }];
}
