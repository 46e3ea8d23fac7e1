import type { BrowserLegOptions, BrowserLegs } from "./browser-leg.ts";
import { type OpenLeg, openLeg } from "./open-leg.ts";

export interface BrowserLegsOptions {
  /** The IP addresses at which pages reach this process's media: see `mediaAddresses`. */
  addresses: readonly string[];
  /** UDP ports for media, both ends included. */
  ports: { from: number; to: number };
  /** What went wrong inside a leg, and ended at most that one. */
  onError(error: unknown): void;
}

/** How often it is looked for pages that have gone silent. */
const WATCH_MS = 1_000;

/** Browser legs by a WebRTC stack in this process. The stack is loaded with the first offer. */
export function createBrowserLegs(options: BrowserLegsOptions): BrowserLegs {
  const legs = new Set<OpenLeg>();
  const oneAtATime = queue();
  let watch: NodeJS.Timeout | null = null;
  const stopWatching = () => {
    if (watch) clearInterval(watch);
    watch = null;
  };
  return {
    open(legOptions: BrowserLegOptions) {
      const leg = openLeg({
        ...options,
        oneAtATime,
        onEvent: legOptions.onEvent,
        onReleased: () => {
          legs.delete(leg);
          if (legs.size === 0) stopWatching();
        },
      });
      legs.add(leg);
      watch ??= setInterval(() => {
        for (const open of legs) open.watch();
      }, WATCH_MS).unref();
      return leg;
    },
    async close() {
      const open = [...legs];
      for (const leg of open) leg.close();
      await Promise.all(open.map((leg) => leg.released));
      stopWatching();
    },
  };
}

function queue() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(run: () => Promise<Result>): Promise<Result> => {
    const result = last.then(run);
    last = result.catch(() => {});
    return result;
  };
}
