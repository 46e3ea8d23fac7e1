import type { Dispatcher } from "undici";
import type { VettedTarget } from "../target/index.ts";
import type { Connection, Connections } from "./connections.ts";
import { type ExchangeError, exchangeErrorOf } from "./exchange-error.ts";
import { EXCERPT_BYTES, responseExcerpt } from "./response-excerpt.ts";

/** What came of one attempt, for the delivery log. */
export interface DeliveryOutcome {
  /** Whether a 2xx status was received. */
  readonly ok: boolean;
  /** The final status; null when none was received. */
  readonly status: number | null;
  /** Why it failed, a stable snake_case reason: an ExchangeError or a code of the target check. Null when `ok`. */
  readonly error: string | null;
  /** The target is refused for where it leads, or for http: no retry will help. */
  readonly permanent: boolean;
  /** From the call to the outcome, in whole milliseconds, DNS included. */
  readonly durationMs: number;
  /** The first KiB of the answer's body as text; null when no status was received. */
  readonly responseExcerpt: string | null;
}

export interface DeliveryPost {
  readonly target: VettedTarget;
  /** A flat list of names and values. */
  readonly headers: string[];
  readonly body: Buffer;
  /** For the whole exchange from now on: connecting, TLS, the answer's head and body. */
  readonly timeoutMs: number;
  /** `performance.now()` when the attempt began. */
  readonly startedAt: number;
  readonly signal?: AbortSignal | undefined;
}

/** No more of an answer's body is read; the connection is dropped then. */
const MAX_BODY_BYTES = 64 * 1_024;
/** An answer may have interim (1xx) ones before it, not a flood of them. */
const MAX_INTERIM_RESPONSES = 20;

/**
 * POSTs once, to one of the target's vetted addresses: no redirect is followed and nothing is tried again. Never
 * rejects.
 *
 * The status decides: a receiver that has said 2xx has the event, so a body that is cut off or endless after it
 * changes nothing (its excerpt is what came within the limits), unless the time for the whole exchange runs out.
 */
export function postDelivery(post: DeliveryPost, connections: Connections): Promise<DeliveryOutcome> {
  return new Promise((resolve) => new Exchange(post, connections.acquire(post.target), resolve).start());
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #post: DeliveryPost;
  readonly #connection: Connection;
  readonly #resolve: (outcome: DeliveryOutcome) => void;
  readonly #timer: NodeJS.Timeout;
  #status: number | null = null;
  #redirect = false;
  #interim = 0;
  #bytes = 0;
  readonly #excerpt: Buffer[] = [];
  #over = false;

  constructor(post: DeliveryPost, connection: Connection, resolve: (outcome: DeliveryOutcome) => void) {
    this.#post = post;
    this.#connection = connection;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#finish("timeout", false), post.timeoutMs);
  }

  start(): void {
    const { signal, target, headers, body } = this.#post;
    if (signal?.aborted) {
      this.#onAbort();
      return;
    }
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#connection.dispatch({ method: "POST", path: target.path, headers, body }, this);
  }

  readonly #onAbort = () => this.#finish("aborted", false);

  onRequestStart(): void {}

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: { location?: string | string[] },
  ): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM_RESPONSES) this.#finish("invalid_response", false);
      return;
    }
    this.#status = status;
    this.#redirect = status >= 300 && status < 400 && headers.location !== undefined;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes <= EXCERPT_BYTES) this.#excerpt.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= MAX_BODY_BYTES) this.#finish(null, false);
  }

  onResponseEnd(): void {
    this.#finish(null, true);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish(exchangeErrorOf(error), false);
  }

  /**
   * @param failure why it ended before its end. The status, once there is one, says more, but for a 2xx whose exchange was
   *   not over within its limit: the limit holds for all of it.
   */
  #finish(failure: ExchangeError | null, complete: boolean): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#post.signal?.removeEventListener("abort", this.#onAbort);
    if (complete) this.#connection.release();
    else void this.#connection.discard();
    const status = this.#status;
    const success = status !== null && status >= 200 && status < 300;
    const ok = success && failure !== "timeout";
    this.#resolve({
      ok,
      status,
      error: ok ? null : status === null || success ? failure : this.#redirect ? "redirect" : "http_status",
      permanent: false,
      durationMs: Math.round(performance.now() - this.#post.startedAt),
      responseExcerpt: status === null ? null : responseExcerpt(this.#excerpt),
    });
  }
}
