import type { Clock } from "../../../clock.ts";
import type { SipFlow } from "./flow.ts";
import type { TrunkRequests } from "./trunk-requests.ts";

/** Our place in one trunk's book (RFC 3261, 10): kept for as long as it is wanted. */
export interface Registration {
  /** Begins, and begins again where the connection that it came over has gone. */
  keep(): void;
  /** Gives it up. Resolves when the trunk has been told so, or doesn't answer. */
  close(): Promise<void>;
}

export interface RegistrationOptions {
  clock: Clock;
  requests: Pick<TrunkRequests, "register">;
  /** The way there. @throws when there is none */
  flow(): Promise<SipFlow>;
  /** It stands, or doesn't any more: refused with that status (null: no answer). Told when it changes. */
  onChanged(isRegistered: boolean, status: number | null): void;
}

const ASKED_S = 300;
const RETRY_MS = 30_000;
/** However briefly a trunk remembers. */
const SHORTEST_MS = 5_000;

export function createRegistration(options: RegistrationOptions): Registration {
  const { clock, requests } = options;
  let over: SipFlow | null = null;
  let running: Promise<void> | null = null;
  let cancel: () => void = () => undefined;
  let isRegistered: boolean | null = null;
  let isClosed = false;

  async function register(): Promise<void> {
    let status: number | null = null;
    let nextMs = RETRY_MS;
    over = null;
    try {
      const flow = await options.flow();
      const answer = await requests.register(flow, ASKED_S);
      if ("status" in answer) status = answer.status;
      else if (answer.forMs > 0) {
        over = flow;
        // Half of it is left for a second try.
        nextMs = Math.max(answer.forMs / 2, SHORTEST_MS);
      }
    } catch {
      // No way there: as no answer.
    }
    if (isClosed) return;
    if (isRegistered !== (over !== null)) {
      isRegistered = over !== null;
      options.onChanged(isRegistered, status);
    }
    cancel = clock.schedule(clock.now() + nextMs, begin);
  }

  function begin(): void {
    if (isClosed || running) return;
    cancel();
    running = register().finally(() => {
      running = null;
    });
  }

  return {
    keep() {
      if (isRegistered === null || (over && !over.isOpen())) begin();
    },
    async close() {
      isClosed = true;
      cancel();
      await running;
      if (over?.isOpen()) await requests.register(over, 0);
    },
  };
}
