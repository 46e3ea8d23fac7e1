export interface PortQueue {
  /**
   * Runs what reaches the product, after everything that was given before it has settled.
   * @returns its result; rejects when it does
   */
  run<Result>(port: () => Promise<Result>): Promise<Result>;
}

/** One call's way to its ports: one at a time, in order, so that what is stored happened in that order. */
export function createPortQueue(): PortQueue {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    run(port) {
      const result = tail.then(port);
      tail = result.catch(() => undefined);
      return result;
    },
  };
}
