/** Something to be said. One at a time, in the order in which they were asked for. */
export type ResponseRequest =
  | { kind: "answer"; always: boolean }
  | { kind: "direction"; text: string }
  | { kind: "greeting"; text: string }
  | { kind: "sentence"; text: string; utteranceId: string };

export interface ResponseQueue {
  push(request: ResponseRequest): void;
  /** Drops answers and directions; what was promised (greeting, sentences) stays. @returns whether there were any */
  stop(): boolean;
  /** Gives up the one under way. */
  abortCurrent(): void;
  readonly busy: boolean;
  close(): void;
}

const isDroppable = ({ kind }: ResponseRequest) => kind === "answer" || kind === "direction";

/**
 * @param run makes one response, and resolves when it is complete or was given up through the signal
 * @param onFailed a response couldn't be made; nothing more is run then
 */
export function createResponseQueue(
  run: (request: ResponseRequest, signal: AbortSignal) => Promise<void>,
  onFailed: (error: unknown) => void,
): ResponseQueue {
  let waiting: ResponseRequest[] = [];
  let current: { request: ResponseRequest; abort: AbortController } | null = null;
  let closed = false;

  const next = () => {
    if (closed || current) return;
    const request = waiting.shift();
    if (!request) return;
    const mine = { request, abort: new AbortController() };
    current = mine;
    // Never within `push`: what is asked for in one go (stop, then say) is seen as a whole.
    Promise.resolve()
      .then(() => (mine.abort.signal.aborted ? undefined : run(request, mine.abort.signal)))
      .then(
        () => {
          current = null;
          next();
        },
        (error: unknown) => {
          current = null;
          if (mine.abort.signal.aborted) return next();
          if (closed) return;
          closed = true;
          onFailed(error);
        },
      );
  };

  return {
    push(request) {
      if (request.kind === "answer") {
        const asked = waiting.find((other) => other.kind === "answer");
        if (asked?.kind === "answer") {
          asked.always ||= request.always;
          return;
        }
      }
      waiting.push(request);
      next();
    },
    stop() {
      const before = waiting.length;
      waiting = waiting.filter((request) => !isDroppable(request));
      const isCurrent = current !== null && isDroppable(current.request) && !current.abort.signal.aborted;
      if (isCurrent) current?.abort.abort();
      return isCurrent || waiting.length < before;
    },
    abortCurrent: () => current?.abort.abort(),
    get busy() {
      return !closed && (current !== null || waiting.length > 0);
    },
    close() {
      closed = true;
      waiting = [];
      current?.abort.abort();
    },
  };
}
