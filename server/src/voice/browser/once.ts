/** Something that happens at most once. Who asks after it happened is told at once. */
export interface Once {
  readonly happened: boolean;
  listen(listener: () => void): void;
  happen(): void;
  /** It won't happen any more. */
  forget(): void;
}

export function once(): Once {
  let listeners: (() => void)[] = [];
  let happened = false;
  let forgotten = false;
  return {
    get happened() {
      return happened;
    },
    listen(listener) {
      if (happened) listener();
      else if (!forgotten) listeners.push(listener);
    },
    happen() {
      if (happened || forgotten) return;
      happened = true;
      for (const listener of listeners.splice(0)) listener();
    },
    forget() {
      forgotten = true;
      listeners = [];
    },
  };
}
