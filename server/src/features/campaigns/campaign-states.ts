/**
 * The campaign's states and what moves it between them. Nothing else does.
 *
 *   draft ──launch──▶ active ◀──resume── paused          active ──pause──▶ paused
 *   active|paused ──complete──▶ completed                draft|active|paused ──cancel──▶ cancelled
 */
export const CAMPAIGN_STATUSES = ["draft", "active", "paused", "completed", "cancelled"] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

interface Trigger {
  from: readonly CampaignStatus[];
  to: CampaignStatus;
  /** The code of the refusal from any other status but `to`, from which nothing changes. */
  refusal: "campaign_not_resumable" | "campaign_not_active" | "conflict";
  /** What it is called once it has happened: the audit log's `campaign.<done>`. */
  done: string;
  /** Refused with `insufficient_balance` when the wallet has nothing left to spend. */
  needsBalance?: true;
  /** Refused unless the campaign has all that it takes to dial. */
  isChecked?: true;
}

export const campaignTriggers = {
  launch: { from: ["draft"], to: "active", refusal: "conflict", done: "launched", isChecked: true },
  resume: {
    from: ["paused"],
    to: "active",
    refusal: "campaign_not_resumable",
    done: "resumed",
    needsBalance: true,
  },
  pause: { from: ["active"], to: "paused", refusal: "campaign_not_active", done: "paused" },
  complete: { from: ["active", "paused"], to: "completed", refusal: "conflict", done: "completed" },
  cancel: { from: ["draft", "active", "paused"], to: "cancelled", refusal: "conflict", done: "cancelled" },
} as const satisfies Record<string, Trigger>;

export type CampaignTrigger = keyof typeof campaignTriggers;

/** What a trigger does to a campaign in `status`: nothing when it already is where the trigger leads. */
export function effectOf(trigger: CampaignTrigger, status: CampaignStatus): "move" | "nothing" | "refuse" {
  const { from, to }: Trigger = campaignTriggers[trigger];
  if (status === to) return "nothing";
  return from.includes(status) ? "move" : "refuse";
}
