export type { SubscriptionDeps } from "./create-subscription.ts";
export {
  Delivery,
  DeliveryDetails,
  DeliveryListQuery,
  DeliveryPage,
  ReplayedDeadLetters,
} from "./deliveries.schema.ts";
export { createDeliveryClient, verifySignature } from "./delivery/index.ts";
export { type DeliveryGauges, readDeliveryGauges } from "./delivery-metrics.ts";
export { type DeliveryState, deliveryStates } from "./delivery-states.ts";
export { type Dispatcher, type DispatcherDeps, startDispatcher } from "./dispatch/dispatcher.ts";
export { pingSubscription } from "./ping-subscription.ts";
export { listDeliveries, readDelivery } from "./read-deliveries.ts";
export { listSubscriptions, readSubscription } from "./read-subscriptions.ts";
export { replayDeadLetters } from "./replay-dead-letters.ts";
export { replayDelivery } from "./replay-delivery.ts";
export { createTargetResolver } from "./target/index.ts";
export { webhooksRoutes } from "./webhooks.routes.ts";
export { Webhook, WebhookPage } from "./webhooks.schema.ts";
