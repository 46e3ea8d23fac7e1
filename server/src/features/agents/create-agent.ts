import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import type { Agent, AgentCreate } from "./agents.schema.ts";
import * as sql from "./agents.sql.ts";
import { resolveCallTemplate } from "./call-template.ts";
import { readAgent } from "./read-agents.ts";

export interface AgentsDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
}

/** Makes an agent whose template is whole. Only one managed by the API can be changed through it. */
export async function createAgent(
  deps: AgentsDeps,
  input: {
    organizationId: string;
    /** Named in the audit log: an operator's name, or `api_key:<id>`. */
    actor: string;
    managedBy: Agent["managed_by"];
    body: AgentCreate;
  },
): Promise<Agent> {
  const { organizationId, actor, managedBy, body } = input;
  const callTemplate = resolveCallTemplate(body.call_template);
  return deps.database.transaction(async (transaction) => {
    const id = deps.newId();
    await transaction.query({
      ...sql.insertAgent,
      values: [
        organizationId,
        id,
        body.name,
        managedBy,
        JSON.stringify(callTemplate),
        timestamp(deps.clock.now()),
      ],
    });
    await recordAudit(deps, transaction, {
      organizationId,
      actor,
      action: "agent.created",
      subjectType: "agent",
      subjectId: id,
      details: { name: body.name, managed_by: managedBy },
    });
    return readAgent({ database: transaction }, organizationId, id);
  });
}
