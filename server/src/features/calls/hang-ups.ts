import { DomainError } from "../../domain-error.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { hangupCall } from "./hangup-call.ts";

/** Ends what is under way to people who have just said elsewhere that they don't want to be called. */
export interface HangUps {
  /** In the background: whoever tells it isn't kept waiting. A call that somebody is talking in ends within 10 s. */
  optedOut(person: { organizationId: string; phoneNumber: string }): void;
  /** Begins no more tries, and resolves when those under way have ended. */
  settled(): Promise<void>;
}

const REASON = "The person asked by text not to be called.";
/** Each takes 10 s. A call that is being placed right now can't be hung up yet. */
const MOST_TRIES = 4;

export function createHangUps(deps: CallsDeps): HangUps {
  const running = new Set<Promise<void>>();
  let closing = false;

  const end = async (organizationId: string, id: string): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        const how = { reason: REASON, ringing: "cancel", optedOut: true } as const;
        return await hangupCall(deps, { organizationId, id, ...how });
      } catch (error) {
        const code = error instanceof DomainError ? error.code : null;
        if (code === "call_already_ended") return;
        if (code !== "hangup_failed" || tries === MOST_TRIES || closing) throw error;
      }
    }
  };
  const endAll = async (organizationId: string, phoneNumber: string): Promise<void> => {
    const calls = await deps.database.query<{ id: string }>({
      ...sql.findLiveTo,
      values: [organizationId, phoneNumber],
    });
    await Promise.all(
      calls.map(({ id }) =>
        end(organizationId, id).catch((error: unknown) =>
          deps.logger.error(
            { err: error, call_id: id },
            "a call to somebody who opted out couldn't be ended",
          ),
        ),
      ),
    );
  };

  return {
    optedOut({ organizationId, phoneNumber }) {
      const work = endAll(organizationId, phoneNumber)
        .catch((error: unknown) =>
          deps.logger.error(
            { err: error, organization_id: organizationId },
            "calls to somebody who opted out couldn't be looked for",
          ),
        )
        .finally(() => running.delete(work));
      running.add(work);
    },
    async settled() {
      closing = true;
      await Promise.all(running);
    },
  };
}
