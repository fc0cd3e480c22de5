import type { Report } from "./timing/report";

declare global {
  interface Window {
    /** For tests and tools. */
    firstlight: { report(): Report };
  }
}
