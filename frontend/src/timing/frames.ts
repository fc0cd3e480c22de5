/** One frame of a display of 60 Hz; on a faster one fewer dropped frames are told than there are. */
const FRAME_MS = 1000 / 60;

/**
 * Frames that passed without showing a text that was ready for `waited` milliseconds before its paint ended. It waits up
 * to one frame for the next to begin, and that frame may take one itself: only more was dropped.
 */
export function droppedFrames(waited: number): number {
  return Math.max(0, Math.floor(waited / FRAME_MS) - 1);
}
