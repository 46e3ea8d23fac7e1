import type { Queryable, Statement } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Agent } from "./agents.schema.ts";
import { agentNotFound } from "./read-agents.ts";

/**
 * Holds an agent that the API may write, for the rest of the transaction.
 * @param how `lockAgent` or `lockAgentForDeletion`
 * @throws DomainError not_found, agent_managed_in_app
 */
export async function lockOwnAgent(
  transaction: Queryable,
  how: Statement,
  organizationId: string,
  id: string,
): Promise<Agent> {
  const [agent] = await transaction.query<Agent>({ ...how, values: [organizationId, id] });
  if (!agent) throw agentNotFound();
  if (agent.managed_by === "app") {
    throw new DomainError(
      "agent_managed_in_app",
      "The agent is managed in the app. Through the API it can only be read and called with.",
    );
  }
  return agent;
}
