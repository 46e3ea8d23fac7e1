import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import { type CampaignTrigger, campaignTriggers, effectOf } from "./campaign-states.ts";
import type { Campaign } from "./campaigns.schema.ts";
import * as sql from "./campaigns.sql.ts";
import { checkLaunch } from "./check-launch.ts";
import { campaignNotFound } from "./read-campaigns.ts";

export interface SteerCampaignInput {
  organizationId: string;
  id: string;
  trigger: CampaignTrigger;
  /** Named in the audit log: an operator's name, or `api_key:<id>`. */
  actor: string;
}

/**
 * Pulls one trigger of the state machine. The public API's start and stop are the triggers `resume` and `pause`. Of
 * several at once, one changes the campaign (`changed`), the others find it changed.
 * Looks in this order: not found, already there (`changed: false`), not allowed from here, what a launch needs, balance.
 * @throws DomainError not_found, campaign_not_resumable, campaign_not_active, conflict, no_did_available,
 *   insufficient_balance
 */
export async function steerCampaign(
  deps: { database: Database; clock: Clock; newId: NewId; campaignsChanged(): void },
  input: SteerCampaignInput,
): Promise<{ campaign: Campaign; changed: boolean }> {
  const { organizationId, id, trigger, actor } = input;
  const { to, refusal, done, ...rule } = campaignTriggers[trigger];
  return deps.database.transaction(async (transaction) => {
    const [campaign] = await transaction.query<Campaign>({
      ...sql.lockCampaign,
      values: [organizationId, id],
    });
    if (!campaign) throw campaignNotFound();
    const effect = effectOf(trigger, campaign.status);
    if (effect === "nothing") return { campaign, changed: false };
    if (effect === "refuse") {
      throw new DomainError(
        refusal,
        `The campaign is ${campaign.status}; only one that is ${rule.from.join(" or ")} can be ${done}.`,
      );
    }
    if ("isChecked" in rule) await checkLaunch(transaction, organizationId, campaign);
    if ("needsBalance" in rule) {
      const [wallet] = await transaction.query<{ can_spend: boolean }>({
        ...sql.canSpend,
        values: [organizationId],
      });
      if (!wallet?.can_spend) {
        throw new DomainError("insufficient_balance", "The organization's token balance is exhausted.");
      }
    }
    const [changed] = await transaction.query<Campaign>({
      ...sql.setStatus,
      values: [organizationId, id, to, timestamp(deps.clock.now())],
    });
    await recordAudit(deps, transaction, {
      organizationId,
      actor,
      action: `campaign.${done}`,
      subjectType: "campaign",
      subjectId: campaign.id,
      details: { from: campaign.status, to },
    });
    if (to === "active") transaction.afterCommit(() => deps.campaignsChanged());
    return { campaign: changed!, changed: true };
  });
}
