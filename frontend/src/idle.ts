/** Runs `task` when the page has nothing better to do, within ten seconds. */
export function whenIdle(task: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(task, { timeout: 10_000 });
  else setTimeout(task, 0); // Safari
}
