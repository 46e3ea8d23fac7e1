export { createDeliveryClient, type DeliveryAttempt, type DeliveryClient } from "./delivery-client.ts";
export type { DeliveryOutcome } from "./post-delivery.ts";
