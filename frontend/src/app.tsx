import type { ReadonlySignal, Signal } from "@preact/signals";
import { Composer } from "./capture/composer";
import type { Draft } from "./capture/draft";
import type { Readiness } from "./connection/ready";
import type { Session } from "./conversation/session";
import { Header } from "./render/header";
import { useSeconds } from "./render/message";
import type { Theme } from "./render/theme";
import { Transcript } from "./render/transcript";
import { Welcome } from "./render/welcome";
import type { Ledger } from "./timing/ledger";
import { Overlay } from "./timing/overlay";

interface Props {
  session: Session;
  ledger: Ledger;
  draft: Draft;
  theme: Theme;
  timing: Signal<"shown" | undefined>;
  readiness: ReadonlySignal<Readiness | undefined>;
  model: ReadonlySignal<string | undefined>;
  newChat: () => void;
}

export function App({ session, ledger, draft, theme, timing, readiness, model, newChat }: Props) {
  return (
    <>
      <Header model={model} timing={timing} theme={theme} newChat={newChat} />
      <Transcript session={session} welcome={<Welcome session={session} />} />
      <footer class="footer">
        {readiness.value?.ready === false && <Loading readiness={readiness.value} />}
        <Composer session={session} draft={draft} />
        <p class="hint">Enter sends, Shift+Enter is a new line, Escape stops</p>
      </footer>
      {timing.value === "shown" && <Overlay ledger={ledger} shown={timing} />}
      <p class="unseen" role="status">
        {session.announcement}
      </p>
    </>
  );
}

function Loading({ readiness }: { readiness: Readiness }) {
  const seconds = useSeconds(() => true);
  return (
    <p class="loading">
      <span class="dots" aria-hidden="true" /> {readiness.reason} {seconds} s
    </p>
  );
}
