import type { ReplyReport, Report } from "./report";

/** What the export writes, and `window.firstlight.report()` answers. */
export function toReport(replies: readonly ReplyReport[]): Report {
  return { version: 1, browser: navigator.userAgent, made_at: new Date().toISOString(), replies: [...replies] };
}
