import type { ClaimedDelivery, DeliveryContent } from "./claim-deliveries.ts";

/** What is signed and sent: the same bytes at every attempt. */
export function deliveryBody(delivery: ClaimedDelivery, content: DeliveryContent): string {
  const { type, occurredAt, data } = content;
  // Ids, types and the time need no escaping, and `data` is the very text that was stored.
  return `{"id":"${delivery.eventId}","type":"${type}","organization_id":"${delivery.organizationId}","occurred_at":"${occurredAt}","data":${data}}`;
}
