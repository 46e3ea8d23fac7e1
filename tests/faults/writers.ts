import { randomUUID } from "node:crypto";
import type { ReceivedRequest } from "../../server/src/testing/webhook-sink.ts";

export interface Written {
  id: string;
  phoneNumber: string;
  idempotencyKey: string | null;
}

export interface Writers {
  /** What the service has acknowledged so far. */
  acknowledged: Written[];
  /** Keyed requests whose answer never came. */
  unanswered: { phoneNumber: string; idempotencyKey: string }[];
  untilAcknowledged(count: number): Promise<void>;
  stop(): Promise<void>;
}

let serial = 0;

/** Concurrent clients that create leads, each with a number of its own, every second one with an idempotency key. */
export function startWriters(options: { url: string; key: string; clients: number }): Writers {
  const acknowledged: Written[] = [];
  const unanswered: { phoneNumber: string; idempotencyKey: string }[] = [];
  let stopped = false;

  const client = async () => {
    while (!stopped) {
      const number = serial++;
      const phoneNumber = `+1415${String(2_000_000 + number)}`;
      const idempotencyKey = number % 2 === 0 ? `key-${randomUUID()}` : null;
      const response = await createLead(options, phoneNumber, idempotencyKey).catch(() => null);
      if (response?.status === 201) {
        const { id } = (await response.json().catch(() => ({}))) as { id?: string };
        if (id) acknowledged.push({ id, phoneNumber, idempotencyKey });
      } else {
        if (idempotencyKey && !response) unanswered.push({ phoneNumber, idempotencyKey });
        // The service is away: asked again in a moment, not in a tight loop.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const ended = Promise.all(Array.from({ length: options.clients }, client));

  return {
    acknowledged,
    unanswered,
    async untilAcknowledged(count) {
      const deadline = performance.now() + 60_000;
      while (acknowledged.length < count) {
        if (performance.now() > deadline)
          throw new Error(`only ${acknowledged.length} of ${count} writes were acknowledged in 60 s`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async stop() {
      stopped = true;
      await ended;
    },
  };
}

export function createLead(
  { url, key }: { url: string; key: string },
  phoneNumber: string,
  idempotencyKey: string | null,
): Promise<Response> {
  return fetch(`${url}/v1/leads`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
    },
    body: JSON.stringify({ phone_number: phoneNumber }),
    signal: AbortSignal.timeout(20_000),
  });
}

/** How often each lead's `lead.created` arrived. */
export function arrivals(requests: readonly ReceivedRequest[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { body } of requests) {
    const event = JSON.parse(body.toString()) as { type: string; data: { lead_id: string } };
    if (event.type === "lead.created")
      counts.set(event.data.lead_id, (counts.get(event.data.lead_id) ?? 0) + 1);
  }
  return counts;
}
