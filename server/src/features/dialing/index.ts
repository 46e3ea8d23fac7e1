export { createCallPlacer } from "./call-placer.ts";
export { CampaignPreview } from "./campaign-preview.schema.ts";
export { dialerSettings } from "./claim-leads.sql.ts";
export { createDialer } from "./create-dialer.ts";
export type { DialingDeps } from "./dialing-deps.ts";
export { markDialed } from "./mark-dialed.ts";
export { previewCampaign } from "./preview-campaign.ts";
export { readDialingFigures } from "./read-figures.ts";
export { settleAttempt } from "./settle-attempt.ts";
