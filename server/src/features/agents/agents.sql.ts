const columns = `agent.id, agent.name, agent.call_template, agent.managed_by, number.phone_number,
  agent.created_at, coalesce(agent.updated_at, agent.created_at) AS updated_at`;

const agentsWithNumber = `agents AS agent
  LEFT JOIN phone_numbers AS number ON number.organization_id = agent.organization_id AND number.agent_id = agent.id`;

/** $1 organization, $2 id, $3 name, $4 managed by, $5 template, $6 now */
export const insertAgent = {
  name: "agent-insert",
  text: `
    INSERT INTO agents (organization_id, id, name, managed_by, call_template, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $6)`,
};

export const readAgent = {
  name: "agent-read",
  text: `SELECT ${columns} FROM ${agentsWithNumber} WHERE agent.organization_id = $1 AND agent.id = $2`,
};

/** Newest first. $1 organization, $2 limit, $3 offset */
export const listAgents = {
  name: "agents-list",
  text: `
    SELECT ${columns} FROM ${agentsWithNumber} WHERE agent.organization_id = $1
    ORDER BY agent.created_at DESC, agent.id DESC LIMIT $2 OFFSET $3`,
};

/** Holds the agent for the rest of the transaction: nobody else can change it. */
export const lockAgent = {
  name: "agent-lock",
  text: `
    SELECT ${columns} FROM ${agentsWithNumber} WHERE agent.organization_id = $1 AND agent.id = $2
    FOR NO KEY UPDATE OF agent`,
};

/** The same, and nobody else can begin to use it either. */
export const lockAgentForDeletion = {
  name: "agent-lock-for-deletion",
  text: `
    SELECT ${columns} FROM ${agentsWithNumber} WHERE agent.organization_id = $1 AND agent.id = $2
    FOR UPDATE OF agent`,
};

/** Keeps the agent from being deleted for the rest of the transaction. */
export const keepAgent = {
  name: "agent-keep",
  text: `
    SELECT id, name, call_template FROM agents WHERE organization_id = $1 AND id = $2
    FOR KEY SHARE`,
};

/** $3 name, $4 template, $5 now */
export const updateAgent = {
  name: "agent-update",
  text: `
    UPDATE agents SET name = $3, call_template = $4, updated_at = $5
    WHERE organization_id = $1 AND id = $2`,
};

export const deleteAgent = {
  name: "agent-delete",
  text: "DELETE FROM agents WHERE organization_id = $1 AND id = $2",
};

/** Of an agent that is locked: what keeps it from being deleted. */
export const agentUse = {
  name: "agent-use",
  text: `
    SELECT
      EXISTS (
        SELECT FROM campaigns
        WHERE organization_id = $1 AND assigned_ai_agent_id = $2 AND status IN ('draft', 'active', 'paused')
      ) AS in_campaign,
      EXISTS (SELECT FROM calls WHERE organization_id = $1 AND agent_id = $2 AND ended_at IS NULL) AS on_call,
      EXISTS (SELECT FROM phone_numbers WHERE organization_id = $1 AND agent_id = $2) AS has_number`,
};
