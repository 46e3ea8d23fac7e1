import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { NewId } from "../../ids.ts";
import { holdAgent } from "../agents/index.ts";
import { recordAudit } from "../audit/index.ts";
import { optionsWith, optionValues } from "./campaign-options.ts";
import type { Campaign, CampaignPatch } from "./campaigns.schema.ts";
import * as sql from "./campaigns.sql.ts";
import { campaignNotFound } from "./read-campaigns.ts";

/** What decides about who talks and how: its leads have been called that way. */
const OF_DRAFTS = ["assigned_ai_agent_id", "dialer_mode"] as const;

/**
 * Changes the fields sent: all of a draft, and of a paused campaign what the dialer reads anew before each call, which is all
 * but its agent and its dialer mode. Leads that wait for other hours are looked at again. The audit log has what each field
 * was and is.
 * @throws DomainError nothing_to_update, invalid_request (window), not_found (the campaign, the agent),
 *   agent_has_no_call_template, conflict (its status)
 */
export async function updateCampaign(
  deps: { database: Database; clock: Clock; newId: NewId },
  input: { organizationId: string; id: string; actor: string; body: CampaignPatch },
): Promise<Campaign> {
  const { organizationId, id, actor, body } = input;
  if (Object.keys(body).length === 0)
    throw new DomainError("nothing_to_update", "Name at least one field to change.");
  const now = timestamp(deps.clock.now());
  const { after, changes } = await deps.database.transaction(async (transaction) => {
    const [before] = await transaction.query<Campaign>({
      ...sql.lockCampaign,
      values: [organizationId, id],
    });
    if (!before) throw campaignNotFound();
    refuseByStatus(before, body);
    const agentId = body.assigned_ai_agent_id;
    if (agentId !== undefined) await holdAgent(transaction, organizationId, agentId);
    const wanted = { ...before, ...body, ...optionsWith(before, body) };
    const changes = changesBetween(before, wanted);
    if (Object.keys(changes).length === 0) return { after: before, changes };
    const [after] = await transaction.query<Campaign>({
      ...sql.updateCampaign,
      values: [
        ...[organizationId, id, wanted.name, wanted.dialer_mode, wanted.assigned_ai_agent_id, now],
        ...optionValues(wanted),
      ],
    });
    await recordAudit(deps, transaction, {
      organizationId,
      actor,
      action: "campaign.updated",
      subjectType: "campaign",
      subjectId: id,
      details: { changes },
    });
    return { after: after!, changes };
  });
  // Not in the transaction: these may be a million. Those that a crash leaves out are looked at when they are due.
  if (["window", "days", "require_consent"].some((field) => field in changes)) {
    while ((await deps.database.query({ ...sql.lookAgain, values: [organizationId, id, now] })).length > 0);
  }
  return after;
}

function refuseByStatus({ status }: Campaign, body: CampaignPatch): void {
  if (status === "draft") return;
  if (status !== "paused") {
    throw new DomainError(
      "conflict",
      status === "active"
        ? "An active campaign can't be changed. Pause it first."
        : `The campaign is ${status}, and can't be changed any more.`,
    );
  }
  const fixed = OF_DRAFTS.filter((field) => body[field] !== undefined);
  if (fixed.length === 0) return;
  throw new DomainError(
    "conflict",
    `Only a draft can change ${fixed.join(" and ")}; the campaign is paused.`,
  );
}

function changesBetween(before: Campaign, after: Campaign): Record<string, { from: unknown; to: unknown }> {
  return Object.fromEntries(
    (Object.keys(before) as (keyof Campaign)[])
      .map((field) => [field, { from: before[field], to: after[field] }] as const)
      .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to)),
  );
}
