import { DomainError } from "../../domain-error.ts";
import { recordAudit } from "../audit/index.ts";
import type { DeletedAgent } from "./agents.schema.ts";
import * as sql from "./agents.sql.ts";
import type { AgentsDeps } from "./create-agent.ts";
import { lockOwnAgent } from "./lock-agent.ts";

/**
 * Deletes an agent that nothing uses. What it did stays: its past calls and campaigns still name it.
 * @throws DomainError not_found, agent_managed_in_app, agent_in_use
 */
export async function deleteAgent(
  deps: AgentsDeps,
  input: { organizationId: string; id: string; actor: string },
): Promise<DeletedAgent> {
  const { organizationId, id, actor } = input;
  return deps.database.transaction(async (transaction) => {
    const agent = await lockOwnAgent(transaction, sql.lockAgentForDeletion, organizationId, id);
    // A statement of its own, after the lock: it sees what was stored while the lock was waited for.
    const [use] = await transaction.query<{ in_campaign: boolean; on_call: boolean; has_number: boolean }>({
      ...sql.agentUse,
      values: [organizationId, id],
    });
    if (use!.in_campaign) {
      throw agentInUse("The agent is assigned to a campaign that is a draft, active or paused.");
    }
    if (use!.on_call) throw agentInUse("The agent is on a call.");
    if (use!.has_number) throw agentInUse("The agent holds a phone number. Detach it first.");
    await transaction.query({ ...sql.deleteAgent, values: [organizationId, id] });
    await recordAudit(deps, transaction, {
      organizationId,
      actor,
      action: "agent.deleted",
      subjectType: "agent",
      subjectId: agent.id,
      details: { name: agent.name },
    });
    return { id: agent.id, deleted: true };
  });
}

function agentInUse(message: string): DomainError {
  return new DomainError("agent_in_use", message);
}
