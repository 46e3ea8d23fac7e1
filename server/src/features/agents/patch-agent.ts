import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { recordAudit } from "../audit/index.ts";
import type { Agent, AgentPatch } from "./agents.schema.ts";
import * as sql from "./agents.sql.ts";
import { mergeCallTemplate, resolveCallTemplate } from "./call-template.ts";
import type { AgentsDeps } from "./create-agent.ts";
import { lockOwnAgent } from "./lock-agent.ts";
import { readAgent } from "./read-agents.ts";

/** A template without fields changes nothing either. @throws DomainError nothing_to_update */
export function refuseEmptyPatch({ name, call_template: template = {} }: AgentPatch): void {
  if (name === undefined && Object.keys(template).length === 0) {
    throw new DomainError("nothing_to_update", "Name at least one field to change.");
  }
}

/**
 * Changes the name, and the template key by key. Calls under way keep the template that they began with.
 * @throws DomainError not_found, agent_managed_in_app, system_prompt_required
 */
export async function patchAgent(
  deps: AgentsDeps,
  input: { organizationId: string; id: string; actor: string; body: AgentPatch },
): Promise<Agent> {
  const { organizationId, id, actor, body } = input;
  return deps.database.transaction(async (transaction) => {
    const agent = await lockOwnAgent(transaction, sql.lockAgent, organizationId, id);
    await transaction.query({
      ...sql.updateAgent,
      values: [
        organizationId,
        id,
        body.name ?? agent.name,
        JSON.stringify(changedTemplate(agent, body)),
        timestamp(deps.clock.now()),
      ],
    });
    await recordAudit(deps, transaction, {
      organizationId,
      actor,
      action: "agent.updated",
      subjectType: "agent",
      subjectId: agent.id,
      details: { fields: Object.keys(body), template_fields: Object.keys(body.call_template ?? {}) },
    });
    return readAgent({ database: transaction }, organizationId, id);
  });
}

function changedTemplate({ call_template: stored }: Agent, { call_template: sent }: AgentPatch) {
  if (!sent) return stored;
  if (stored) return mergeCallTemplate(stored, sent);
  const { system_prompt: systemPrompt } = sent;
  if (systemPrompt === undefined) {
    throw new DomainError("system_prompt_required", "The agent has no template yet: send its system_prompt.");
  }
  return resolveCallTemplate({ ...sent, system_prompt: systemPrompt });
}
