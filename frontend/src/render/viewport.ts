/**
 * Keeps the page as high as what is visible of it. Chromium and Firefox shrink the page for an on-screen keyboard when
 * asked to in the viewport tag; Safari lays the keyboard over it and only tells here.
 */
export function fitKeyboard(): void {
  const view = window.visualViewport;
  view?.addEventListener("resize", () => {
    const covered = view.scale === 1 && view.height < window.innerHeight - 1;
    document.documentElement.style.setProperty("--height", covered ? `${view.height}px` : "100dvh");
  });
}
