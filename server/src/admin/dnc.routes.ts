import { Type } from "typebox";
import {
  addDncEntry,
  checkDncNumber,
  DncAdd,
  DncCheck,
  DncCheckQuery,
  type DncDeps,
  DncEntry,
  DncImport,
  DncImported,
  DncListQuery,
  DncNumber,
  DncPage,
  DncRemoved,
  DncRemoveQuery,
  exportDncEntries,
  importDncEntries,
  listDncEntries,
  removeDncEntry,
} from "../features/dnc/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor, streamed } from "../http/route.ts";
import { pageFrom, Uuid } from "../http/schema.ts";
import { OrganizationParams } from "./organization-params.ts";

/** A CSV of 5,000,000 bytes grows when it is written as a JSON string. */
const CSV_BODY_LIMIT = 12 * 1024 * 1024;

export function dncRoutes(deps: DncDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/organizations/:organization_id/dnc",
      operationId: "listDncEntries",
      tag: "Do not call",
      summary: "List the numbers that must not be called, newest first",
      access: "operator",
      params: OrganizationParams,
      query: DncListQuery,
      responses: { 200: { description: "A page of entries", schema: DncPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        const page = pageFrom(query);
        return { body: { data: await listDncEntries(deps, params.organization_id, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/organizations/:organization_id/dnc",
      operationId: "addDncEntry",
      tag: "Do not call",
      summary: "Put a number on the list",
      description: "A number that is listed keeps its first entry, and the answer is that one.",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: DncAdd,
      responses: {
        201: { description: "The new entry", schema: DncEntry },
        200: { description: "The number was listed: its first entry", schema: DncEntry },
      },
      errors: ["invalid_phone_number", "organization_not_found"],
      async handle({ caller, params, body }) {
        const { entry, added } = await addDncEntry(deps, {
          organizationId: params.organization_id,
          actor: caller.actor,
          phoneNumber: body.phone_number,
          reason: body.reason,
        });
        return { status: added ? 201 : 200, body: entry };
      },
    }),
    route({
      method: "GET",
      path: "/organizations/:organization_id/dnc/check",
      operationId: "checkDncNumber",
      tag: "Do not call",
      summary: "Look whether a number is on the list",
      access: "operator",
      params: OrganizationParams,
      query: DncCheckQuery,
      responses: { 200: { description: "What the list says of it", schema: DncCheck } },
      errors: ["invalid_phone_number", "organization_not_found"],
      async handle({ params, query }) {
        return { body: await checkDncNumber(deps, params.organization_id, query.phone_number) };
      },
    }),
    route({
      method: "POST",
      path: "/organizations/:organization_id/dnc/import",
      operationId: "importDncEntries",
      tag: "Do not call",
      summary: "Put the numbers of a CSV on the list",
      description:
        "Rows commit in batches in file order, each new number with its entry in the audit log. A number that is listed keeps its first entry.",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: DncImport,
      bodyLimit: CSV_BODY_LIMIT,
      responses: { 200: { description: "What became of the rows", schema: DncImported } },
      errors: ["csv_required", "invalid_csv", "payload_too_large", "organization_not_found"],
      async handle({ caller, params, body }) {
        const imported = await importDncEntries(deps, {
          organizationId: params.organization_id,
          actor: caller.actor,
          csv: body.csv,
          reason: body.reason,
        });
        return { body: imported };
      },
    }),
    route({
      method: "GET",
      path: "/organizations/:organization_id/dnc.csv",
      operationId: "exportDncEntries",
      tag: "Do not call",
      summary: "Export the list as CSV, by number",
      description: "Cells are as stored, so that the file can be imported again.",
      access: "operator",
      params: OrganizationParams,
      responses: { 200: { description: "CSV with CRLF line ends", mediaType: "text/csv" } },
      errors: ["organization_not_found"],
      async handle({ params }) {
        const stream = await exportDncEntries(deps, params.organization_id);
        return streamed(stream, "text/csv; charset=utf-8", {
          "content-disposition": 'attachment; filename="dnc.csv"',
        });
      },
    }),
    route({
      method: "DELETE",
      path: "/organizations/:organization_id/dnc/:phone_number",
      operationId: "removeDncEntry",
      tag: "Do not call",
      summary: "Take a number off the list",
      description: "The audit log keeps who did it and why, beside what the entry said.",
      access: "operator",
      writes: true,
      params: Type.Object({ organization_id: Uuid, phone_number: DncNumber }),
      query: DncRemoveQuery,
      responses: { 200: { description: "It is gone", schema: DncRemoved } },
      errors: ["invalid_phone_number", "organization_not_found"],
      async handle({ caller, params, query }) {
        return {
          body: await removeDncEntry(deps, {
            organizationId: params.organization_id,
            actor: caller.actor,
            phoneNumber: params.phone_number,
            reason: query.reason,
          }),
        };
      },
    }),
  ];
}
