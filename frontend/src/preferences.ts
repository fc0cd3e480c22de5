import { effect, type Signal, signal } from "@preact/signals";

/** A choice of the reader's that outlives the tab. Where the browser forbids storage it lives as long as the page. */
export function preference<Value extends string>(name: string, values: readonly Value[]): Signal<Value | undefined> {
  const key = `firstlight.${name}`;
  const stored = attempt(() => localStorage.getItem(key));
  const chosen = signal(values.find((value) => value === stored));
  effect(() => {
    const value = chosen.value;
    attempt(() => (value === undefined ? localStorage.removeItem(key) : localStorage.setItem(key, value)));
  });
  return chosen;
}

function attempt<Result>(access: () => Result): Result | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
