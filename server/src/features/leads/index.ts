export { createLead } from "./create-lead.ts";
export { failAbandonedImports } from "./fail-abandoned-imports.ts";
export { importLeads } from "./import-leads.ts";
export { leadFormats } from "./lead-formats.ts";
export { createLeadWriter, type LeadWriter } from "./lead-writer.ts";
export { leadsRoutes } from "./leads.routes.ts";
export {
  CSV_BODY_LIMIT,
  ImportJobPage,
  ImportJobWithRows,
  ImportListQuery,
  ImportRowsQuery,
  ImportSummary,
  LeadImport,
} from "./leads-csv.schema.ts";
export { markDoNotCall } from "./mark-do-not-call.ts";
export {
  canonicalPhoneNumber,
  normaliseEmail,
  openCsv,
  requireCsv,
} from "./parsing/index.ts";
export { listImports, readImport } from "./read-imports.ts";
export { findLead, findLeadByNumber } from "./read-leads.ts";
export { requireCampaign } from "./require-campaign.ts";
