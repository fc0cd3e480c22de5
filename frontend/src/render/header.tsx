import type { ReadonlySignal } from "@preact/signals";
import type { TimingView } from "../timing/overlay/view";
import { Logo, MoonIcon, NewChatIcon, SunIcon, TimingIcon } from "./icons";
import type { Theme } from "./theme";

interface Props {
  model: ReadonlySignal<string | undefined>;
  view: TimingView;
  theme: Theme;
  newChat: () => void;
}

export function Header({ model, view, theme, newChat }: Props) {
  const dark = theme.dark.value;
  return (
    <header class="header">
      <h1 class="brand">
        <Logo />
        <span class="name">First Light</span>
      </h1>
      {model.value && (
        <span class="model" title={model.value}>
          {model.value}
        </span>
      )}
      <nav class="tools" aria-label="Tools">
        <button
          type="button"
          class="tool"
          aria-label="Timing"
          aria-pressed={view.shown}
          title="Timing (Ctrl+.)"
          onClick={(event) => view.toggle(event.currentTarget)}
        >
          <TimingIcon />
          <span class="label">Timing</span>
        </button>
        <button
          type="button"
          class="tool"
          aria-label={dark ? "Light theme" : "Dark theme"}
          title={dark ? "Light theme" : "Dark theme"}
          onClick={() => theme.toggle()}
        >
          {dark ? <SunIcon /> : <MoonIcon />}
        </button>
        <button type="button" class="tool" aria-label="New chat" title="New chat (Ctrl+Shift+O)" onClick={newChat}>
          <NewChatIcon />
          <span class="label">New chat</span>
        </button>
      </nav>
    </header>
  );
}
