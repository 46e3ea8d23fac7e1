export type { SubscriptionDeps } from "./create-subscription.ts";
export {
  DeliveryDetails,
  DeliveryListQuery,
  DeliveryPage,
  ReplayedDeadLetters,
} from "./deliveries.schema.ts";
export { createDeliveryClient } from "./delivery/index.ts";
export { readDeliveryGauges } from "./delivery-metrics.ts";

export { dispatcherSettings } from "./dispatch/dispatch.sql.ts";
export { startDispatcher } from "./dispatch/dispatcher.ts";
export { pingSubscription } from "./ping-subscription.ts";
export { listDeliveries, readDelivery } from "./read-deliveries.ts";
export { listSubscriptions } from "./read-subscriptions.ts";
export { replayDeadLetters } from "./replay-dead-letters.ts";
export { replayDelivery } from "./replay-delivery.ts";
export { createTargetResolver } from "./target/index.ts";
export { webhooksRoutes } from "./webhooks.routes.ts";
export { WebhookPage } from "./webhooks.schema.ts";
