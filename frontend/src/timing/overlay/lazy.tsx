import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import type { Ledger } from "../ledger";
import type { TimingView } from "./view";

interface Props {
  ledger: Ledger;
  view: TimingView;
}

const loaded = signal<ComponentType<Props> | undefined>(undefined);
const failed = signal(false);

/** Loads the overlay: most visits never open it, so it is no part of what the page loads first. */
export async function loadOverlay(): Promise<void> {
  try {
    loaded.value = (await import("./overlay")).Overlay;
  } catch {
    failed.value = true;
  }
}

/** The overlay, as soon as it is loaded. */
export function LazyOverlay(props: Props) {
  const Overlay = loaded.value;
  useEffect(() => {
    if (!loaded.peek()) void loadOverlay();
  }, []);
  if (Overlay) return <Overlay {...props} />;
  if (!failed.value) return null;
  return (
    <section class="overlay" aria-label="Timing">
      <p class="aside" role="alert">
        The timing could not be loaded. Reload the page to try again.
      </p>
    </section>
  );
}
