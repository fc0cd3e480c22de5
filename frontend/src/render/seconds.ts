import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Seconds since the component came; it renders once a second while `running` says so. */
export function useSeconds(running: () => boolean): number {
  const seconds = useSignal(0);
  useEffect(() => {
    if (!running()) return;
    const timer = setInterval(() => {
      seconds.value += 1;
      if (!running()) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return seconds.value;
}
