import type { Ledger } from "./timing/ledger";

declare global {
  interface Window {
    /** For tests and tools. */
    firstlight: { report(): ReturnType<Ledger["report"]> };
  }
}
