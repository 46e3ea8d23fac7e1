import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { IdParams, NoFields, pageFrom } from "../../http/schema.ts";
import type { NewId } from "../../ids.ts";
import type { CampaignTrigger } from "./campaign-states.ts";
import { Campaign, CampaignListQuery, CampaignPage, CampaignStatusResult } from "./campaigns.schema.ts";
import { listCampaigns, readCampaign } from "./read-campaigns.ts";
import { steerCampaign } from "./steer-campaign.ts";

export interface CampaignsDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
  /** Wakes the dialers. */
  campaignsChanged(): void;
}

export function campaignsRoutes(deps: CampaignsDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  const steer = async (caller: ApiCaller, id: string, trigger: CampaignTrigger) => {
    const { campaign, changed } = await steerCampaign(deps, {
      organizationId: caller.organizationId,
      id,
      trigger,
      actor: `api_key:${caller.keyId}`,
    });
    return { body: { id: campaign.id, status: campaign.status, changed } };
  };
  return [
    route({
      method: "GET",
      path: "/campaigns",
      operationId: "listCampaigns",
      tag: "Campaigns",
      summary: "List campaigns, newest first",
      access: "campaigns:read",
      query: CampaignListQuery,
      responses: { 200: { description: "A page of campaigns", schema: CampaignPage } },
      async handle({ caller, query }) {
        const page = pageFrom(query);
        const data = await listCampaigns(deps, caller.organizationId, query.status, page);
        return { body: { data, ...page } };
      },
    }),
    route({
      method: "GET",
      path: "/campaigns/:id",
      operationId: "readCampaign",
      tag: "Campaigns",
      summary: "Read a campaign",
      access: "campaigns:read",
      params: IdParams,
      responses: { 200: { description: "The campaign", schema: Campaign } },
      async handle({ caller, params }) {
        return { body: await readCampaign(deps, caller.organizationId, params.id) };
      },
    }),
    route({
      method: "POST",
      path: "/campaigns/:id/start",
      operationId: "startCampaign",
      tag: "Campaigns",
      summary: "Resume a paused campaign",
      description:
        "An active campaign is answered with `changed: false`, whatever the balance. A campaign that is neither is refused.",
      access: "campaigns:write",
      writes: true,
      params: IdParams,
      body: NoFields,
      responses: { 200: { description: "The campaign is active", schema: CampaignStatusResult } },
      errors: ["campaign_not_resumable", "insufficient_balance"],
      handle: ({ caller, params }) => steer(caller, params.id, "resume"),
    }),
    route({
      method: "POST",
      path: "/campaigns/:id/stop",
      operationId: "stopCampaign",
      tag: "Campaigns",
      summary: "Pause an active campaign",
      description:
        "A paused campaign is answered with `changed: false`. A campaign that is neither is refused.",
      access: "campaigns:write",
      writes: true,
      params: IdParams,
      body: NoFields,
      responses: { 200: { description: "The campaign is paused", schema: CampaignStatusResult } },
      errors: ["campaign_not_active"],
      handle: ({ caller, params }) => steer(caller, params.id, "pause"),
    }),
  ];
}
