import { type Static, Type } from "typebox";
import { Instant } from "../../http/schema.ts";

const Count = Type.Integer();

/** Of the private API. */
export const CampaignPreview = Type.Object(
  {
    leads: Type.Integer({ description: "Those of the campaign: the sum of the following four" }),
    dialable_now: Type.Integer({ description: "As far as the law, their wishes and the organization go" }),
    waiting: Type.Integer({
      description:
        "Can be dialed later: an hour that is allowed, a retry, the cap of attempts, a call under way",
    }),
    blocked: Type.Integer({ description: "Can't be dialed, however long it waits" }),
    done: Type.Integer({ description: "Reached, or of a status that isn't dialed" }),
    by_reason: Type.Array(Type.Object({ reason: Type.String(), count: Count }), {
      description: "Of those that wait or are blocked, the most frequent first",
    }),
    waiting_until: Type.Array(Type.Object({ until: Instant, count: Count }), {
      description: "Until when they wait, to the quarter of an hour after it, the earliest first",
    }),
    previewed_at: Instant,
  },
  { "x-name": "CampaignPreview" },
);
export type CampaignPreview = Static<typeof CampaignPreview>;
