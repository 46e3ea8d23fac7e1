export { createDeliveryClient, type DeliveryAttempt, type DeliveryClient } from "./delivery-client.ts";
export type { DeliveryOutcome } from "./post-delivery.ts";
export { type SignatureVerdict, signDelivery, verifySignature } from "./signature.ts";
