import { DomainError } from "../../domain-error.ts";
import type { InboundAnswer, InboundCall } from "../../voice/carriers/inbound.ts";
import { canonicalPhoneNumber } from "../leads/index.ts";
import { findCalledNumber } from "../numbers/index.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { startCall } from "./start-call.ts";

/** What the caller hears where the organization can't take the call. Everything else is our own failure. */
const REFUSALS: Readonly<Record<string, InboundAnswer>> = {
  concurrency_limit_reached: "busy",
  concurrency_limit: "busy",
};

/**
 * Somebody calls one of our numbers: its agent answers. The call is stored with the origin `inbound`, and costs and ends as
 * every other; a caller who is a lead of the organization is that lead.
 * @returns why not, where nobody answers; the call is refused then
 */
export async function answerInboundCall(deps: CallsDeps, call: InboundCall): Promise<InboundAnswer> {
  const to = canonicalPhoneNumber(call.to);
  const { organizationId, carrier } = call;
  const number =
    to === null
      ? null
      : await findCalledNumber(deps.database, { organizationId, phoneNumber: to, carrier: carrier.name });
  if (number === null) return "no_agent";
  if (deps.voice?.room() === 0) return "full";
  try {
    await startCall(deps, {
      organizationId: number.organization_id,
      agentId: number.agent_id,
      body: { medium: "phone" },
      inbound: {
        from: call.from === null ? null : canonicalPhoneNumber(call.from),
        to: number.phone_number,
        carrier: call.carrier,
      },
    });
    return "taken";
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    deps.logger.warn(
      { organization_id: number.organization_id, agent_id: number.agent_id, code: error.code },
      "a call to a number of ours couldn't be answered",
    );
    return REFUSALS[error.code] ?? "unavailable";
  }
}
