export { Metadata, type Scalar, TemplateContext } from "./call-input.schema.ts";
export { CallTemplate, callTemplateFields } from "./call-template.schema.ts";
export { resolveCallTemplate } from "./call-template.ts";
export { fillPlaceholders, type LeadValues, placeholderValues } from "./placeholders.ts";
export { type CallingAgent, holdAgent, readAgent } from "./read-agents.ts";
