import { Type } from "typebox";
import type { AppDeps } from "../app-deps.ts";
import {
  AttachedLeads,
  attachLeads,
  CampaignProgress,
  checkSelection,
  LeadsAttach,
  readCampaign,
  readProgress,
  requireOpenCampaign,
} from "../features/campaigns/index.ts";
import {
  callingRules,
  createDecideCall,
  listVerdicts,
  loadRules,
  StoredVerdictPage,
  VerdictListQuery,
} from "../features/compliance/index.ts";
import { CampaignPreview, previewCampaign } from "../features/dialing/index.ts";
import { CSV_BODY_LIMIT, ImportSummary, importLeads, LeadImport } from "../features/leads/index.ts";
import { readOrganization } from "../features/organizations/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom } from "../http/schema.ts";
import { OrganizationItemParams } from "./organization-params.ts";

const { csv, mapping } = LeadImport.properties;
const CampaignImport = Type.Object(
  { csv, mapping },
  { additionalProperties: false, "x-name": "CampaignImport" },
);

/** The leads of a campaign: how they come into it, and how far it is with them. */
export function campaignLeadsRoutes(deps: AppDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const path = "/organizations/:organization_id/campaigns/:id";
  const decideCall = createDecideCall(loadRules(callingRules));
  return [
    route({
      method: "POST",
      path: `${path}/leads`,
      operationId: "attachLeads",
      tag: "Campaigns",
      summary: "Put leads into a campaign, by their ids or by a filter",
      description:
        "Leads of another campaign leave it. Ids: all of them, or none when one is unknown. A filter: `after` in the answer says that there is more to look at; send it with the same filter until it is null.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: LeadsAttach,
      checkBody: checkSelection,
      responses: { 200: { description: "How many are in it that weren't", schema: AttachedLeads } },
      errors: ["organization_not_found", "lead_not_found", "conflict"],
      async handle({ caller, params: { organization_id: organizationId, id }, body }) {
        await readOrganization(deps, organizationId);
        return { body: await attachLeads(deps, { organizationId, id, actor: caller.actor, body }) };
      },
    }),
    route({
      method: "POST",
      path: `${path}/leads/import`,
      operationId: "importCampaignLeads",
      tag: "Campaigns",
      summary: "Import leads from CSV into a campaign",
      description: "As the public API's bulk import does.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: CampaignImport,
      bodyLimit: CSV_BODY_LIMIT,
      responses: { 202: { description: "The import has been processed", schema: ImportSummary } },
      errors: [
        "organization_not_found",
        "conflict",
        "csv_required",
        "invalid_csv",
        "payload_too_large",
        "import_failed",
      ],
      async handle({ params: { organization_id: organizationId, id }, body }) {
        await readOrganization(deps, organizationId);
        await requireOpenCampaign(deps, { organizationId, id });
        const summary = await importLeads(deps, { organizationId, body: { ...body, campaign_id: id } });
        return { status: 202, body: summary };
      },
    }),
    route({
      method: "GET",
      path: `${path}/progress`,
      operationId: "readCampaignProgress",
      tag: "Campaigns",
      summary: "How far a campaign is: its leads, attempts, answers, abandoned calls and cost",
      access: "operator",
      params: OrganizationItemParams,
      responses: { 200: { description: "The progress", schema: CampaignProgress } },
      errors: ["organization_not_found"],
      async handle({ params }) {
        await readOrganization(deps, params.organization_id);
        return { body: await readProgress(deps, params.organization_id, params.id) };
      },
    }),
    route({
      method: "GET",
      path: `${path}/preview`,
      operationId: "previewCampaign",
      tag: "Campaigns",
      summary: "How many leads can be dialed now, how many wait until when, and how many are blocked and why",
      description:
        "What the dialer would decide on each lead now, if the campaign were active. Changes nothing, and stores no verdict.",
      access: "operator",
      params: OrganizationItemParams,
      responses: { 200: { description: "The preview", schema: CampaignPreview } },
      errors: ["organization_not_found"],
      async handle({ params: { organization_id: organizationId, id: campaignId } }) {
        await readOrganization(deps, organizationId);
        return { body: await previewCampaign({ ...deps, decideCall }, { organizationId, campaignId }) };
      },
    }),
    route({
      method: "GET",
      path: `${path}/verdicts`,
      operationId: "listVerdicts",
      tag: "Campaigns",
      summary: "Why its leads were called or weren't, newest first",
      description:
        "One for each attempt; for a lead that is refused a new one whenever the answer changes, not at every look.",
      access: "operator",
      params: OrganizationItemParams,
      query: VerdictListQuery,
      responses: { 200: { description: "A page of verdicts", schema: StoredVerdictPage } },
      errors: ["organization_not_found", "lead_not_found"],
      async handle({ params: { organization_id: organizationId, id: campaignId }, query }) {
        await readOrganization(deps, organizationId);
        await readCampaign(deps, organizationId, campaignId);
        const page = pageFrom(query);
        const filter = { organizationId, campaignId, leadId: query.lead_id };
        return { body: { data: await listVerdicts(deps, filter, page), ...page } };
      },
    }),
  ];
}
