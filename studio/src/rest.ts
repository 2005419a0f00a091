/** Waiting until the figure has come to rest. */
import type { Studio } from "./studio";

/** Milliseconds without a new pose after which the figure is at rest, and the longest wait. */
const QUIET = 300,
  LONGEST = 3000;

/** Calls `then` when no pose has come for a while, at the earliest after `pause` milliseconds. Returns a function that stops it. */
export function whenAtRest(studio: Studio, pause: number, then: () => void): () => void {
  const begun = performance.now();
  let last = begun;
  const stop = studio.on("pose", () => (last = performance.now()));
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - begun < pause || (now - last < QUIET && now - begun < LONGEST)) return;
    end();
    then();
  }, 50);
  const end = (): void => {
    stop();
    clearInterval(timer);
  };
  return end;
}
