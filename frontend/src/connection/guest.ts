import { whenIdle } from "../idle";
import { isToken } from "../wire/guard";

/** Share of a token's life after which it is renewed. */
const RENEW_AT = 0.66;
const RETRY_MS = 2_000;

/**
 * The guest's bearer token, in memory only. It is fetched at page load and renewed while nothing else goes on, so that
 * sending finds it there.
 */
export class Guest {
  #token = "";
  #renewAt = 0;
  #renewal: Promise<string> | undefined;

  constructor() {
    void this.#keep();
    // Timers of a hidden page are late, and those of a sleeping machine stand still.
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#token && performance.now() >= this.#renewAt) void this.#keep();
    });
  }

  /** The token, or "" before the first has come. */
  get token(): string {
    return this.#token;
  }

  /** A new token from the server; callers at the same time share one request. Rejects when the server has none. */
  renew(): Promise<string> {
    this.#renewal ??= this.#fetch().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #fetch(): Promise<string> {
    const response = await fetch("/auth/guest", { method: "POST" });
    const body: unknown = await response.json();
    if (!response.ok || !isToken(body)) throw new Error(`no guest token: ${response.status}`);
    this.#token = body.access_token;
    const life = body.expires_in * 1000 * RENEW_AT;
    this.#renewAt = performance.now() + life;
    setTimeout(() => {
      if (!document.hidden && performance.now() >= this.#renewAt) whenIdle(() => void this.#keep());
    }, life);
    return this.#token;
  }

  async #keep(): Promise<void> {
    try {
      await this.renew();
    } catch {
      setTimeout(() => void this.#keep(), RETRY_MS);
    }
  }
}
