import type { ReadonlySignal } from "@preact/signals";
import { Composer } from "./capture/composer";
import type { Draft } from "./capture/draft";
import type { Readiness } from "./connection/ready";
import type { Session } from "./conversation/session";
import { Header } from "./render/header";
import { useSeconds } from "./render/seconds";
import type { Theme } from "./render/theme";
import { Transcript } from "./render/transcript";
import { Welcome } from "./render/welcome";
import type { Ledger } from "./timing/ledger";
import { LazyOverlay } from "./timing/overlay/lazy";
import type { TimingView } from "./timing/overlay/view";

interface Props {
  session: Session;
  ledger: Ledger;
  draft: Draft;
  theme: Theme;
  view: TimingView;
  readiness: ReadonlySignal<Readiness | undefined>;
  model: ReadonlySignal<string | undefined>;
  newChat: () => void;
}

export function App({ session, ledger, draft, theme, view, readiness, model, newChat }: Props) {
  return (
    <>
      <Header model={model} view={view} theme={theme} newChat={newChat} />
      <Transcript session={session} ledger={ledger} view={view} welcome={<Welcome session={session} />} />
      <footer class="footer">
        <div role="status">{readiness.value?.ready === false && <Loading readiness={readiness.value} />}</div>
        <Composer session={session} draft={draft} />
        <p class="hint">Enter sends, Shift+Enter is a new line, Escape stops</p>
      </footer>
      {view.shown && <LazyOverlay ledger={ledger} view={view} />}
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
      <span class="dots" aria-hidden="true" /> {readiness.reason} <span aria-hidden="true">{seconds} s</span>
    </p>
  );
}
