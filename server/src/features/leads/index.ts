export { leadFormats } from "./lead-formats.ts";
export { createLeadWriter, type LeadWriter } from "./lead-writer.ts";
export { leadsRoutes } from "./leads.routes.ts";
export { canonicalPhoneNumber, normaliseEmail, parseIsoDateTime } from "./parsing/index.ts";
