/** npm passes a terminal's Ctrl-C on to a process that got it from the terminal already: two signals, one wish. */
const SAME_WISH_MS = 500;

export interface StopSignals {
  /** Resolves with the first SIGTERM or SIGINT. */
  readonly first: Promise<NodeJS.Signals>;
  /** Lets go of the signals: they end the process again, as without this. */
  release(): void;
}

/** @param onSecond called when somebody asks again, who doesn't want to wait for the drain */
export function listenForStop(onSecond: () => void): StopSignals {
  let firstAt: number | null = null;
  let resolveFirst: (signal: NodeJS.Signals) => void;
  const first = new Promise<NodeJS.Signals>((resolve) => {
    resolveFirst = resolve;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstAt === null) {
      firstAt = performance.now();
      resolveFirst(signal);
    } else if (performance.now() - firstAt > SAME_WISH_MS) onSecond();
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return {
    first,
    release() {
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
    },
  };
}
