import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";
import { CampaignOptions, CampaignOptionsInput } from "./campaign-options.ts";
import { CAMPAIGN_STATUSES } from "./campaign-states.ts";

const DIALER_MODES = ["ai", "power", "predictive"] as const;

const Status = oneOf(CAMPAIGN_STATUSES);
const DialerMode = oneOf(DIALER_MODES);

const summaryFields = {
  id: Uuid,
  name: Type.String(),
  status: Status,
  dialer_mode: nullable(Type.String({ description: "For example `ai`, `power`, `predictive`" })),
  assigned_ai_agent_id: nullable(Uuid),
  launched_at: nullable(Instant),
  paused_at: nullable(
    Type.String({ format: "date-time", description: "Since when it is paused; null when it isn't" }),
  ),
  created_at: Instant,
  updated_at: Instant,
};

export const CampaignSummary = Type.Object(summaryFields, { "x-name": "CampaignSummary" });
export type CampaignSummary = Static<typeof CampaignSummary>;
export const CampaignPage = pageOf(CampaignSummary);

const fullFields = {
  ...summaryFields,
  ...CampaignOptions,
  halted_because: nullable(
    Type.String({ description: "Why it dials nobody although it is active, or why it was paused by itself" }),
  ),
};

/** The full stored record: the summary, and configuration beyond the versioned contract. */
export const Campaign = Type.Object(fullFields, { "x-name": "Campaign" });
export type Campaign = Static<typeof Campaign>;

export const CampaignListQuery = Type.Object({ ...pageQuery, status: Type.Optional(Status) });

export const CampaignStatusResult = Type.Object(
  {
    id: Uuid,
    status: oneOf(["active", "paused"]),
    changed: Type.Boolean({ description: "False when the campaign was already in the requested state" }),
  },
  { "x-name": "CampaignStatusResult" },
);

const Name = Type.String({ minLength: 1, maxLength: 120, pattern: "\\S" });

/** Of the private API. */
export const CampaignCreate = Type.Object(
  {
    name: Name,
    dialer_mode: Type.Optional(DialerMode),
    status: Type.Optional(Status),
    assigned_ai_agent_id: Type.Optional(Uuid),
    ...CampaignOptionsInput,
  },
  { additionalProperties: false, "x-name": "CampaignCreate" },
);
export type CampaignCreate = Static<typeof CampaignCreate>;

/** Of the private API. */
export const CampaignPatch = Type.Object(
  {
    name: Type.Optional(Name),
    dialer_mode: Type.Optional(DialerMode),
    assigned_ai_agent_id: Type.Optional(Uuid),
    ...CampaignOptionsInput,
  },
  { additionalProperties: false, "x-name": "CampaignPatch" },
);
export type CampaignPatch = Static<typeof CampaignPatch>;

/** Of the private API: the record, and whether the call changed it. */
export const SteeredCampaign = Type.Object(
  { ...fullFields, changed: Type.Boolean() },
  { "x-name": "SteeredCampaign" },
);
