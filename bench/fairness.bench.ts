import { startPostgres } from "./postgres.ts";
import { quantile, report } from "./report.ts";
import { startService } from "./service.ts";
import { startSink } from "./sink.ts";

/**
 * 100 subscriptions whose endpoints accept and never answer (each attempt takes its whole 10 seconds) and one healthy, all getting
 * every event: how long an event takes from its change to the healthy endpoint.
 */
const HANGING = 100;
const EVENTS_PER_SECOND = 20;
const SECONDS = 40;

const postgres = await startPostgres();
const sink = await startSink();
const service = await startService({
  DATABASE_URL: postgres.url,
  ROLES: "api,admin,dispatcher",
  WEBHOOK_ALLOW_PRIVATE_TARGETS: "1",
});
try {
  const { key } = await service.newOrganization();
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${service.publicUrl}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Record<string, unknown>;
  };
  for (let index = 0; index < HANGING; index++)
    await post("/webhooks", { target_url: `${sink.url}/hang/${index}`, event_types: ["*"] });
  await post("/webhooks", { target_url: `${sink.url}/timed`, event_types: ["*"] });

  const started = performance.now();
  for (let sent = 0; sent < EVENTS_PER_SECOND * SECONDS; sent++) {
    const wait = started + (sent * 1000) / EVENTS_PER_SECOND - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    await post("/leads", { phone_number: `+1${2_000_000_000 + sent}` });
  }
  for (let tries = 0; (await sink.figures()).count < EVENTS_PER_SECOND * SECONDS; tries++) {
    if (tries > 200) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { ages } = await sink.figures();
  const p99 = quantile(ages, 0.99);
  report("fairness", [
    {
      what: `healthy endpoint beside ${HANGING} that hang, ${EVENTS_PER_SECOND} events/s for ${SECONDS} s, change to arrival`,
      measured: `p50 ${Math.round(quantile(ages, 0.5))} ms, p99 ${Math.round(p99)} ms, worst ${Math.round(quantile(ages, 1))} ms (${ages.length} of ${EVENTS_PER_SECOND * SECONDS} arrived)`,
      reach: "p99 < 1,000 ms, all arrived",
      reached: p99 < 1000 && ages.length === EVENTS_PER_SECOND * SECONDS,
    },
  ]);
} finally {
  await service.stop();
  await sink.stop();
  await postgres.stop();
}
