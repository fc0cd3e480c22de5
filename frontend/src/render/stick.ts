import { type ReadonlySignal, signal } from "@preact/signals";

/** The reader is at the end again within so many pixels of it. */
const NEAR_PX = 24;
const UPWARD_KEYS = new Set(["PageUp", "ArrowUp", "Home"]);

/**
 * Keeps the end of a growing conversation in view, until the reader looks up.
 *
 * One mechanism: `pinned`. While it holds, every change of size scrolls to the end, in the resize observer's turn, when
 * layout is clean. Any upward intent (wheel, finger, key, scroll bar) ends it at once, before the browser has scrolled;
 * only moving down to the end, the End key, `jump` or a question of the reader's own brings it back.
 */
export class StickToEnd {
  readonly #pinned = signal(true);
  readonly #scroller: HTMLElement;
  #top = 0;
  #touchY = 0;

  constructor(scroller: HTMLElement, content: Element) {
    this.#scroller = scroller;
    const resized = new ResizeObserver(() => this.#follow());
    resized.observe(content);
    resized.observe(scroller);
    this.#listen();
  }

  get pinned(): ReadonlySignal<boolean> {
    return this.#pinned;
  }

  jump(): void {
    this.#pinned.value = true;
    this.#follow();
  }

  #follow(): void {
    if (!this.#pinned.value) return;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    // The event of this scroll comes a frame late; it must not look like the reader's own move down.
    this.#top = this.#scroller.scrollTop;
  }

  /** The reader wants to go up. With nothing above, that is no reason to let the end go. */
  #release(): void {
    if (this.#top > 0) this.#pinned.value = false;
  }

  #listen(): void {
    const scroller = this.#scroller;
    const passive = { passive: true };
    scroller.addEventListener("wheel", (event) => event.deltaY < 0 && !event.ctrlKey && this.#release(), passive);
    scroller.addEventListener("touchstart", (event) => this.#touched(event), passive);
    scroller.addEventListener("touchmove", (event) => this.#touched(event), passive);
    scroller.addEventListener("keydown", (event) => {
      if (UPWARD_KEYS.has(event.key) || (event.key === " " && event.shiftKey)) this.#release();
      // The browser would scroll to where the end is now, not to where it will be.
      if (event.key === "End") this.jump();
    });
    scroller.addEventListener("pointerdown", (event) => {
      if (event.target === scroller && event.offsetX >= scroller.clientWidth) this.#release();
    });
    scroller.addEventListener("scroll", () => this.#scrolled(), passive);
  }

  #touched(event: TouchEvent): void {
    const y = event.touches[0]?.clientY ?? 0;
    if (event.type === "touchmove" && y > this.#touchY) this.#release();
    this.#touchY = y;
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const away = scrollHeight - clientHeight - scrollTop;
    // A scroll towards the start that is still near the end is the first step of a way up: only one downwards pins.
    if (scrollTop > this.#top && away <= NEAR_PX) this.#pinned.value = true;
    else if (scrollTop < this.#top && away > NEAR_PX) this.#pinned.value = false;
    this.#top = scrollTop;
  }
}
