import type { ReadonlySignal, Signal } from "@preact/signals";
import { Logo, MoonIcon, NewChatIcon, SunIcon, TimingIcon } from "./icons";
import type { Theme } from "./theme";

interface Props {
  model: ReadonlySignal<string | undefined>;
  timing: Signal<"shown" | undefined>;
  theme: Theme;
  newChat: () => void;
}

export function Header({ model, timing, theme, newChat }: Props) {
  const dark = theme.dark.value;
  const shown = timing.value === "shown";
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
          aria-pressed={shown}
          title="Timing (Ctrl+.)"
          onClick={() => {
            timing.value = shown ? undefined : "shown";
          }}
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
