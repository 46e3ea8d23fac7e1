import {
  Campaign,
  CampaignCreate,
  CampaignListQuery,
  CampaignPage,
  CampaignPatch,
  type CampaignTrigger,
  createCampaign,
  listCampaigns,
  readCampaign,
  SteeredCampaign,
  steerCampaign,
  updateCampaign,
} from "../features/campaigns/index.ts";
import { readOrganization } from "../features/organizations/index.ts";
import type { ErrorCode } from "../http/error-codes.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { NoFields, pageFrom } from "../http/schema.ts";
import { OrganizationItemParams, OrganizationParams } from "./organization-params.ts";

type CampaignsDeps = Parameters<typeof steerCampaign>[0];

const triggers: readonly { trigger: CampaignTrigger; summary: string; errors: ErrorCode[] }[] = [
  {
    trigger: "launch",
    summary: "Launch a draft that has an agent, a number to call from, leads and money",
    errors: ["conflict", "no_did_available", "insufficient_balance"],
  },
  {
    trigger: "pause",
    summary: "Pause an active campaign: the public API's stop",
    errors: ["campaign_not_active"],
  },
  {
    trigger: "resume",
    summary: "Resume a paused campaign: the public API's start",
    errors: ["campaign_not_resumable", "insufficient_balance"],
  },
  { trigger: "complete", summary: "Complete an active or paused campaign", errors: ["conflict"] },
  {
    trigger: "cancel",
    summary: "Cancel a campaign that is draft, active or paused",
    errors: ["conflict"],
  },
];

export function campaignsAdminRoutes(deps: CampaignsDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const path = "/organizations/:organization_id/campaigns";
  return [
    route({
      method: "GET",
      path,
      operationId: "listCampaigns",
      tag: "Campaigns",
      summary: "List an organization's campaigns, newest first",
      access: "operator",
      params: OrganizationParams,
      query: CampaignListQuery,
      responses: { 200: { description: "A page of campaigns", schema: CampaignPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        await readOrganization(deps, params.organization_id);
        const page = pageFrom(query);
        const data = await listCampaigns(deps, params.organization_id, query.status, page);
        return { body: { data, ...page } };
      },
    }),
    route({
      method: "POST",
      path,
      operationId: "createCampaign",
      tag: "Campaigns",
      summary: "Create a campaign",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: CampaignCreate,
      responses: { 201: { description: "The campaign", schema: Campaign } },
      errors: ["organization_not_found", "not_found", "agent_has_no_call_template"],
      async handle({ caller, params, body }) {
        const { organization_id: organizationId } = params;
        return {
          status: 201,
          body: await createCampaign(deps, { organizationId, actor: caller.actor, body }),
        };
      },
    }),
    route({
      method: "GET",
      path: `${path}/:id`,
      operationId: "readCampaign",
      tag: "Campaigns",
      summary: "Read a campaign",
      access: "operator",
      params: OrganizationItemParams,
      responses: { 200: { description: "The campaign", schema: Campaign } },
      errors: ["organization_not_found"],
      async handle({ params }) {
        await readOrganization(deps, params.organization_id);
        return { body: await readCampaign(deps, params.organization_id, params.id) };
      },
    }),
    route({
      method: "PATCH",
      path: `${path}/:id`,
      operationId: "updateCampaign",
      tag: "Campaigns",
      summary: "Change a draft, or the options of a paused campaign",
      description:
        "A paused campaign keeps its agent and its dialer mode. Leads that were waiting for other hours are looked at again.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: CampaignPatch,
      responses: { 200: { description: "The campaign", schema: Campaign } },
      errors: ["organization_not_found", "nothing_to_update", "agent_has_no_call_template", "conflict"],
      async handle({ caller, params, body }) {
        await readOrganization(deps, params.organization_id);
        return {
          body: await updateCampaign(deps, {
            organizationId: params.organization_id,
            id: params.id,
            actor: caller.actor,
            body,
          }),
        };
      },
    }),
    ...triggers.map(({ trigger, summary, errors }) =>
      route({
        method: "POST",
        path: `${path}/:id/${trigger}`,
        operationId: `${trigger}Campaign`,
        tag: "Campaigns",
        summary,
        description:
          "Answers the record and `changed`, which is false when the campaign already was in that state.",
        access: "operator",
        writes: true,
        params: OrganizationItemParams,
        body: NoFields,
        responses: { 200: { description: "The campaign", schema: SteeredCampaign } },
        errors: ["organization_not_found", ...errors],
        async handle({ caller, params }) {
          await readOrganization(deps, params.organization_id);
          const { campaign, changed } = await steerCampaign(deps, {
            organizationId: params.organization_id,
            id: params.id,
            trigger,
            actor: caller.actor,
          });
          return { body: { ...campaign, changed } };
        },
      }),
    ),
  ];
}
