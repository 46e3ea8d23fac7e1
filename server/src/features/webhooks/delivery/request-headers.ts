import { type SigningKey, signDelivery } from "./signature.ts";

/** What a delivery's headers are made of, beside the secret. */
export interface DescribedDelivery {
  /** The event's type, as in the body. */
  readonly eventType: string;
  /** The event's id, as in the body: the receiver's idempotency key, identical on every attempt. */
  readonly eventId: string;
  /** 1 on the first try, up to 8. */
  readonly attempt: number;
  /** Whole seconds since the Unix epoch, on the service's clock, at this attempt. */
  readonly timestampSeconds: number;
}

/**
 * The delivery's request headers as a flat list of names and values; Host and Content-Length are the client's.
 *
 * @param key the subscription's whole `whsec_…` string, or what `signingKey` made of it
 * @param body the raw JSON, the very bytes that are sent
 */
export function deliveryHeaders(
  delivery: DescribedDelivery,
  key: string | SigningKey,
  body: Buffer,
): string[] {
  return [
    "Content-Type",
    "application/json",
    "User-Agent",
    "service-webhooks/1.0",
    "Accept",
    "*/*",
    // A compressed answer would have to be inflated to be read: 51 KB can be 50 MB.
    "Accept-Encoding",
    "identity",
    "X-Service-Event",
    delivery.eventType,
    "X-Service-Event-Id",
    delivery.eventId,
    "X-Service-Delivery-Attempt",
    String(delivery.attempt),
    "X-Service-Signature-256",
    signDelivery(key, delivery.timestampSeconds, body),
  ];
}
