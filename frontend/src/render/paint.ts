/**
 * Tells when a change is on the screen: a message posted in the animation frame that shows it is handled after that
 * frame's style, layout and paint, so its time is the end of the main thread's work on the frame.
 */
const channel = new MessageChannel();
const waiting: ((at: number) => void)[] = [];

channel.port1.onmessage = () => {
  const at = performance.now();
  for (const painted of waiting.splice(0)) painted(at);
};

/** Call it in an animation frame; `painted` hears when that frame was done, in milliseconds of `performance.now()`. */
export function whenPainted(painted: (at: number) => void): void {
  waiting.push(painted);
  channel.port2.postMessage(null);
}
