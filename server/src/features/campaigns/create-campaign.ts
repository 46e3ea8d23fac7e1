import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { holdAgent } from "../agents/index.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import { defaultOptions, optionsWith, optionValues } from "./campaign-options.ts";
import type { CampaignStatus } from "./campaign-states.ts";
import type { Campaign, CampaignCreate } from "./campaigns.schema.ts";
import * as sql from "./campaigns.sql.ts";

/** Statuses that a campaign can't have without having been launched. */
const LAUNCHED: readonly CampaignStatus[] = ["active", "paused", "completed"];

/**
 * Makes a campaign, a draft for the dialer mode `ai` unless said otherwise. One made in a later status counts as
 * launched, and paused, at this moment.
 * @throws DomainError organization_not_found; not_found, agent_has_no_call_template for its agent; invalid_request for
 *   its window
 */
export async function createCampaign(
  deps: { database: Database; clock: Clock; newId: NewId },
  input: { organizationId: string; actor: string; body: CampaignCreate },
): Promise<Campaign> {
  const { organizationId, actor, body } = input;
  const options = optionsWith(defaultOptions, body);
  await readOrganization(deps, organizationId);
  const status = body.status ?? "draft";
  const now = timestamp(deps.clock.now());
  return deps.database.transaction(async (transaction) => {
    const agent = body.assigned_ai_agent_id
      ? await holdAgent(transaction, organizationId, body.assigned_ai_agent_id)
      : null;
    const [campaign] = await transaction.query<Campaign>({
      ...sql.insertCampaign,
      values: [
        organizationId,
        deps.newId(),
        body.name,
        status,
        body.dialer_mode ?? "ai",
        LAUNCHED.includes(status) ? now : null,
        status === "paused" ? now : null,
        agent?.id ?? null,
        now,
        ...optionValues(options),
      ],
    });
    await recordAudit(deps, transaction, {
      organizationId,
      actor,
      action: "campaign.created",
      subjectType: "campaign",
      subjectId: campaign!.id,
      details: {
        name: campaign!.name,
        status,
        dialer_mode: campaign!.dialer_mode,
        ...(agent ? { agent_id: agent.id } : {}),
      },
    });
    return campaign!;
  });
}
