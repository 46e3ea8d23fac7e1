import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, Uuid } from "../../http/schema.ts";
import { CAMPAIGN_STATUSES } from "./campaign-states.ts";

const rate = (description: string) => nullable(Type.Number({ description }));

/** Of the private API. */
export const CampaignProgress = Type.Object(
  {
    campaign_id: Uuid,
    name: Type.String(),
    status: oneOf(CAMPAIGN_STATUSES),
    halted_because: nullable(Type.String()),
    launched_at: nullable(Instant),
    leads: Type.Integer({ description: "Those of the campaign; without those that have left it" }),
    waiting: Type.Integer({ description: "To be called, now or when their time comes" }),
    dialing: Type.Integer({ description: "Being called" }),
    blocked: Type.Integer({
      description: "Refused for good as far as is known, such as by the do-not-call list",
    }),
    done: Type.Integer({ description: "Reached, or not to be called any more" }),
    left: Type.Integer({ description: "Elsewhere by now" }),
    next_due_at: nullable(
      Type.String({
        format: "date-time",
        description: "When the first waiting lead is looked at; may be past",
      }),
    ),
    live_now: Type.Integer({ description: "Attempts under way" }),
    attempts: Type.Integer({ description: "Dialed so far" }),
    answered: Type.Integer({ description: "By a person" }),
    machines: Type.Integer({ description: "Answered by a machine" }),
    answer_rate: rate("People that answered, of the attempts that are over; null before there is one"),
    abandoned_30_days: Type.Integer({ description: "People that answered when nobody was free to talk" }),
    abandonment_rate_30_days: rate("Of the people that answered in 30 days; the law allows 0.03"),
    cost_tokens: Type.Integer(),
    attempts_last_hour: Type.Integer({ description: "In the last 60 minutes" }),
    outcomes: Type.Array(Type.Object({ outcome: nullable(Type.String()), count: Type.Integer() }), {
      description: "Attempts by what became of them; null: under way",
    }),
    hours: Type.Array(Type.Object({ hour: Instant, attempts: Type.Integer(), answered: Type.Integer() }), {
      description: "The last 24 hours, the latest first; hours without an attempt are left out",
    }),
  },
  { "x-name": "CampaignProgress" },
);
export type CampaignProgress = Static<typeof CampaignProgress>;
