import type { Database } from "../../database/database.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor, streamed } from "../../http/route.ts";
import { createLeadExporter } from "./export-leads.ts";
import { importLeads } from "./import-leads.ts";
import {
  CSV_BODY_LIMIT,
  CsvInspection,
  CsvText,
  ExportQuery,
  ImportSummary,
  LeadImport,
} from "./leads-csv.schema.ts";
import { inspectCsv } from "./parsing/index.ts";

export function leadsCsvRoutes(deps: OutboxDeps & { database: Database }): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  const exportLeads = createLeadExporter(deps);
  return [
    route({
      method: "POST",
      path: "/leads/inspect-csv",
      operationId: "inspectCsv",
      tag: "Leads",
      summary: "Look at a CSV before importing it; stores nothing",
      access: "leads:write",
      writes: "after_values",
      body: CsvText,
      bodyLimit: CSV_BODY_LIMIT,
      responses: { 200: { description: "What is in it and how it could be mapped", schema: CsvInspection } },
      errors: ["csv_required", "invalid_csv", "payload_too_large"],
      async handle({ body, refuseUnlessActive }) {
        const inspection = await inspectCsv(body.csv);
        refuseUnlessActive();
        return { body: inspection };
      },
    }),
    route({
      method: "POST",
      path: "/leads/bulk",
      operationId: "importLeads",
      tag: "Leads",
      summary: "Import leads from CSV",
      description:
        "Each row inserts a lead or updates the one with its number; an empty cell counts as not sent. Rows commit in batches in file order, each with its event. After a timeout the rows processed are in place, and sending the file again updates them.",
      access: "leads:write",
      writes: "after_values",
      body: LeadImport,
      bodyLimit: CSV_BODY_LIMIT,
      responses: { 202: { description: "The import has been processed", schema: ImportSummary } },
      errors: ["csv_required", "invalid_csv", "payload_too_large", "campaign_not_found", "import_failed"],
      async handle({ caller, body, refuseUnlessActive }) {
        const { organizationId } = caller;
        return { status: 202, body: await importLeads(deps, { organizationId, body, refuseUnlessActive }) };
      },
    }),
    route({
      method: "GET",
      path: "/leads.csv",
      operationId: "exportLeads",
      tag: "Leads",
      summary: "Export leads as CSV, oldest first",
      description:
        "Streams the whole lead bank, or one campaign's leads. Cells are as stored, so that the file can be imported again.",
      access: "leads:read",
      query: ExportQuery,
      responses: { 200: { description: "CSV with CRLF line ends", mediaType: "text/csv" } },
      errors: ["campaign_not_found", "export_failed"],
      async handle({ caller, query }) {
        const stream = await exportLeads({
          organizationId: caller.organizationId,
          campaignId: query.campaign_id,
        });
        return streamed(stream, "text/csv; charset=utf-8", {
          "content-disposition": 'attachment; filename="leads.csv"',
        });
      },
    }),
  ];
}
