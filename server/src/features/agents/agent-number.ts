import { DomainError } from "../../domain-error.ts";
import { recordAudit } from "../audit/index.ts";
import { canonicalNumber } from "../dnc/index.ts";
import { assignNumber, type CarrierName, holdNumber, releaseNumberOf } from "../numbers/index.ts";
import type { Agent, AgentWithNumber } from "./agents.schema.ts";
import * as sql from "./agents.sql.ts";
import type { AgentsDeps } from "./create-agent.ts";
import { lockOwnAgent } from "./lock-agent.ts";
import { readAgent } from "./read-agents.ts";

/** Carriers that bring a number's calls here by themselves; the others have to be told where to send them. */
const REACHED_WITHOUT_SETUP: readonly CarrierName[] = ["simulated", "sip"];

/**
 * Lets the agent answer calls to one of the organization's numbers. An agent holds one number: another one takes the
 * place of the first.
 * @throws DomainError invalid_phone_number, not_found, agent_managed_in_app, phone_number_not_owned, phone_number_in_use
 */
export async function attachNumber(
  deps: AgentsDeps,
  input: { organizationId: string; id: string; actor: string; phoneNumber: string },
): Promise<AgentWithNumber> {
  const { organizationId, id, actor } = input;
  const phoneNumber = canonicalNumber(input.phoneNumber);
  return deps.database.transaction(async (transaction) => {
    const agent = await lockOwnAgent(transaction, sql.lockAgent, organizationId, id);
    const number = await holdNumber(transaction, { organizationId, phoneNumber });
    if (!number) {
      throw new DomainError(
        "phone_number_not_owned",
        "phone_number is not one of the organization's numbers.",
      );
    }
    if (number.agent_id !== null && number.agent_id !== agent.id) {
      throw new DomainError("phone_number_in_use", "Another agent holds this number.");
    }
    if (number.agent_id === null) {
      const replaced = await releaseNumberOf(transaction, { organizationId, agentId: agent.id });
      await assignNumber(transaction, { organizationId, phoneNumber, agentId: agent.id });
      await recordAudit(deps, transaction, {
        organizationId,
        actor,
        action: "agent.number_attached",
        subjectType: "agent",
        subjectId: agent.id,
        details: { phone_number: phoneNumber, replaced },
      });
    }
    const changed = await readAgent({ database: transaction }, organizationId, agent.id);
    return { ...changed, inbound_webhook_configured: REACHED_WITHOUT_SETUP.includes(number.carrier) };
  });
}

/** Takes the agent's number from it, if it has one. @throws DomainError not_found, agent_managed_in_app */
export async function detachNumber(
  deps: AgentsDeps,
  input: { organizationId: string; id: string; actor: string },
): Promise<Agent> {
  const { organizationId, id, actor } = input;
  return deps.database.transaction(async (transaction) => {
    const agent = await lockOwnAgent(transaction, sql.lockAgent, organizationId, id);
    const released = await releaseNumberOf(transaction, { organizationId, agentId: agent.id });
    if (released !== null) {
      await recordAudit(deps, transaction, {
        organizationId,
        actor,
        action: "agent.number_detached",
        subjectType: "agent",
        subjectId: agent.id,
        details: { phone_number: released },
      });
    }
    return readAgent({ database: transaction }, organizationId, agent.id);
  });
}
