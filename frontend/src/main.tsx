import { computed, effect, signal } from "@preact/signals";
import { render } from "preact";
import { App } from "./app";
import { Draft } from "./capture/draft";
import { listenForShortcuts } from "./capture/keys";
import { Guest } from "./connection/guest";
import { type Readiness, untilReady } from "./connection/ready";
import { Session } from "./conversation/session";
import { restore, save } from "./conversation/storage";
import { whenIdle } from "./idle";
import { Theme } from "./render/theme";
import { fitKeyboard } from "./render/viewport";
import { toReport } from "./timing/export";
import { Ledger } from "./timing/ledger";
import { loadOverlay } from "./timing/overlay/lazy";
import { TimingView } from "./timing/overlay/view";
import { watch } from "./timing/watch";

const tab = () => sessionStorage;

const guest = new Guest();
const ledger = new Ledger();
const draft = new Draft(tab);
const session = new Session(guest, ledger, restore(tab));
const theme = new Theme();
const view = new TimingView(() => draft.focus());
const readiness = signal<Readiness | undefined>(undefined);
const model = computed(() => session.model.value ?? readiness.value?.model);

function newChat(): void {
  session.clear();
  draft.focus();
}

function toggleTiming(): void {
  view.toggle(document.activeElement);
}

window.firstlight = { report: () => toReport(ledger.reports()) };
watch(ledger);
listenForShortcuts(window, { stop: () => session.stop(), newChat, toggleTiming });
fitKeyboard();
void untilReady((news) => {
  readiness.value = news;
});

// Kept for a reload when nothing is under way, and when the page is left; never while a question is being sent.
effect(() => {
  if (session.busy.value || !session.messages.value) return;
  whenIdle(() => session.busy.peek() || save(tab, session.snapshot()));
});
addEventListener("pagehide", () => {
  save(tab, session.snapshot());
  draft.keep();
});

const root = document.getElementById("app");
if (root) {
  const parts = { session, ledger, draft, theme, view, readiness, model, newChat };
  render(<App {...parts} />, root);
}
// Opened later, the overlay is there at once.
whenIdle(() => void loadOverlay());
