import { Type } from "typebox";
import {
  Campaign,
  CampaignCreate,
  CampaignListQuery,
  CampaignPage,
  type CampaignTrigger,
  createCampaign,
  listCampaigns,
  NoFields,
  readCampaign,
  SteeredCampaign,
  steerCampaign,
} from "../features/campaigns/index.ts";
import { readOrganization } from "../features/organizations/index.ts";
import type { ErrorCode } from "../http/error-codes.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom, Uuid } from "../http/schema.ts";

type CampaignsDeps = Parameters<typeof createCampaign>[0];

const InOrganization = Type.Object({ organization_id: Uuid });
const OneOfOrganization = Type.Object({ organization_id: Uuid, id: Uuid });

const triggers: readonly { trigger: CampaignTrigger; summary: string; errors: ErrorCode[] }[] = [
  { trigger: "launch", summary: "Launch a draft", errors: ["conflict"] },
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
      params: InOrganization,
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
      params: InOrganization,
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
      params: OneOfOrganization,
      responses: { 200: { description: "The campaign", schema: Campaign } },
      errors: ["organization_not_found"],
      async handle({ params }) {
        await readOrganization(deps, params.organization_id);
        return { body: await readCampaign(deps, params.organization_id, params.id) };
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
        params: OneOfOrganization,
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
