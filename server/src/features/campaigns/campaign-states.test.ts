import { describe, expect, it } from "vitest";
import {
  CAMPAIGN_STATUSES,
  type CampaignStatus,
  type CampaignTrigger,
  campaignTriggers,
  effectOf,
} from "./campaign-states.ts";

/** Every move the contract has, and no other. */
const moves: Record<CampaignTrigger, Partial<Record<CampaignStatus, "move" | "nothing">>> = {
  launch: { draft: "move", active: "nothing" },
  resume: { paused: "move", active: "nothing" },
  pause: { active: "move", paused: "nothing" },
  complete: { active: "move", paused: "move", completed: "nothing" },
  cancel: { draft: "move", active: "move", paused: "move", cancelled: "nothing" },
};

describe("the campaign's state machine", () => {
  const triggers = Object.keys(campaignTriggers) as CampaignTrigger[];
  it.each(triggers.flatMap((trigger) => CAMPAIGN_STATUSES.map((status) => ({ trigger, status }))))(
    "$trigger from $status",
    ({ trigger, status }) => {
      expect(effectOf(trigger, status)).toBe(moves[trigger][status] ?? "refuse");
    },
  );
});
