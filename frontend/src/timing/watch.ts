import type { Ledger } from "./ledger";

/** Tells `ledger` what only the browser knows: whether the page is seen, and Resource Timing of streams that are over. */
export function watch(ledger: Ledger): void {
  const look = () => ledger.visibility(document.hidden, performance.now());
  look();
  document.addEventListener("visibilitychange", look);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) ledger.resource(entry as PerformanceResourceTiming);
  }).observe({ type: "resource" });
}
