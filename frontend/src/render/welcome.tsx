import type { Session } from "../conversation/session";
import { Logo } from "./icons";

const EXAMPLES = [
  "Hello",
  "Explain prefix caching in three sentences",
  "Write a haiku about the first light of a day",
  "What happens between a key press and a painted word?",
];

export function Welcome({ session }: { session: Session }) {
  return (
    <section class="welcome">
      <Logo />
      <h2>Ask, and the answer begins.</h2>
      <p>First Light is a chat that answers soon, and shows where every millisecond went.</p>
      <ul class="examples">
        {EXAMPLES.map((text) => (
          <li key={text}>
            <button type="button" class="pill" onClick={(event) => session.ask(text, event.timeStamp)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
      {!isSecureContext && (
        <p class="aside">
          This page came over plain http from another host: whoever is on the network can read along, and the stream is
          not compressed.
        </p>
      )}
    </section>
  );
}
