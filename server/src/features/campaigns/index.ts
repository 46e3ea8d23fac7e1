export { AttachedLeads, LeadsAttach } from "./attach-leads.schema.ts";
export { attachLeads, checkSelection, requireOpenCampaign } from "./attach-leads.ts";
export type { CampaignTrigger } from "./campaign-states.ts";
export { campaignsRoutes } from "./campaigns.routes.ts";
export {
  Campaign,
  CampaignCreate,
  CampaignListQuery,
  CampaignPage,
  CampaignPatch,
  SteeredCampaign,
} from "./campaigns.schema.ts";
export { createCampaign } from "./create-campaign.ts";
export { CampaignProgress } from "./progress.schema.ts";
export { listCampaigns, readCampaign } from "./read-campaigns.ts";
export { readProgress } from "./read-progress.ts";
export { steerCampaign } from "./steer-campaign.ts";
export { updateCampaign } from "./update-campaign.ts";
