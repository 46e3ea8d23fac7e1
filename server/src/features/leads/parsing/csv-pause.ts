import { setImmediate } from "node:timers/promises";

/** What a scanning generator yields where its caller may let the event loop turn. */
export const PAUSE = null;
export type Pause = typeof PAUSE;

/** Characters scanned from one pause to the next: 1 to 5 ms of work, whatever the text is. */
export const PAUSE_EVERY = 65_536;

/** Lets every timer and socket that is due have its turn. */
export async function letOthersRun(): Promise<void> {
  await setImmediate();
}
