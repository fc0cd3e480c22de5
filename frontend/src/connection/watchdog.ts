const TICK_MS = 5_000;
/** Three of the server's heartbeats. */
const SILENT_TICKS = 6;

/**
 * Calls `lost` once when nothing was heard for 30 s. It counts ticks of its own timer and not the clock, so that a
 * machine that slept is given time to read what waits in the socket.
 */
export class Watchdog {
  #silent = 0;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(lost: () => void) {
    this.#timer = setInterval(() => {
      this.#silent += 1;
      if (this.#silent < SILENT_TICKS) return;
      this.stop();
      lost();
    }, TICK_MS);
  }

  heard(): void {
    this.#silent = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
