export { agentsRoutes } from "./agents.routes.ts";
export { Agent, AgentListQuery, AgentPage, AppAgentCreate } from "./agents.schema.ts";
export { Metadata, type Scalar, TemplateContext } from "./call-input.schema.ts";
export { CallTemplate, callTemplateFields } from "./call-template.schema.ts";
export { resolveCallTemplate } from "./call-template.ts";
export { type AgentsDeps, createAgent } from "./create-agent.ts";
export { fillPlaceholders, type LeadValues, placeholderValues } from "./placeholders.ts";
export { holdAgent, listAgents, readAgent } from "./read-agents.ts";
