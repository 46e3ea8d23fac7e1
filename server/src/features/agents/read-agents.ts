import type { Database, Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import type { Agent } from "./agents.schema.ts";
import * as sql from "./agents.sql.ts";
import type { CallTemplate } from "./call-template.schema.ts";

/** @throws DomainError not_found */
export async function readAgent(
  deps: { database: Queryable },
  organizationId: string,
  id: string,
): Promise<Agent> {
  const [agent] = await deps.database.query<Agent>({ ...sql.readAgent, values: [organizationId, id] });
  if (!agent) throw agentNotFound();
  return agent;
}

/** Newest first. */
export function listAgents(
  deps: { database: Database },
  organizationId: string,
  page: Page,
): Promise<Agent[]> {
  return deps.database.query<Agent>({ ...sql.listAgents, values: [organizationId, page.limit, page.offset] });
}

export interface CallingAgent {
  id: string;
  name: string;
  callTemplate: CallTemplate;
}

/**
 * The agent of a call or a campaign that the transaction is about to store. Until it ends the agent can't be deleted.
 * @throws DomainError not_found, agent_has_no_call_template
 */
export async function holdAgent(
  transaction: Queryable,
  organizationId: string,
  id: string,
): Promise<CallingAgent> {
  const [agent] = await transaction.query<{ id: string; name: string; call_template: CallTemplate | null }>({
    ...sql.keepAgent,
    values: [organizationId, id],
  });
  if (!agent) throw agentNotFound();
  if (!agent.call_template) {
    throw new DomainError("agent_has_no_call_template", "The agent has no call template to call by.");
  }
  return { id: agent.id, name: agent.name, callTemplate: agent.call_template };
}

export function agentNotFound(): DomainError {
  return new DomainError("not_found", "There is no such agent.");
}
