export type { CampaignTrigger } from "./campaign-states.ts";
export { campaignsRoutes } from "./campaigns.routes.ts";
export {
  Campaign,
  CampaignCreate,
  CampaignListQuery,
  CampaignPage,
  NoFields,
  SteeredCampaign,
} from "./campaigns.schema.ts";
export { createCampaign } from "./create-campaign.ts";
export { listCampaigns, readCampaign } from "./read-campaigns.ts";
export { steerCampaign } from "./steer-campaign.ts";
