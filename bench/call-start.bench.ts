import { startPostgres } from "./postgres.ts";
import { quantile, report } from "./report.ts";
import { startService } from "./service.ts";

/**
 * How long `POST /calls` takes while 20 calls a second are started, against `POST /leads` at the same pace in the same
 * seconds: a call is several statements under the wallet's lock, the carrier's word, and its event. The numbers are busy
 * after a second, so that it is the start that is measured and not the media.
 */
const PER_SECOND = 20;
const SECONDS = 20;
const WARM_UP = 40;

const postgres = await startPostgres();
const service = await startService({ DATABASE_URL: postgres.url });
try {
  const made = await service.admin("/organizations", {
    name: "Call start",
    balance_tokens: 10_000_000,
    concurrency_limit: 1_000,
  });
  const organization = `/organizations/${made.id}`;
  await service.admin(`${organization}/numbers`, { phone_number: "4155550199" });
  const { key } = await service.admin(`${organization}/keys`, {
    name: "bench",
    rate_limit_per_minute: 1_000_000,
  });

  const timed = async (path: string, body: unknown): Promise<number> => {
    const began = performance.now();
    const response = await fetch(`${service.publicUrl}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    if (response.status !== 201) throw new Error(answer);
    return performance.now() - began;
  };
  let leads = 0;
  const startCall = () =>
    timed("/calls", { medium: "phone", to_number: "4155550101", system_prompt: "Be kind." });
  const createLead = () =>
    timed("/leads", { phone_number: `+1415${String(2_000_000 + leads++)}`, first_name: "Ada" });

  for (let times = 0; times < WARM_UP; times++) await Promise.all([startCall(), createLead()]);
  // Sent when it is time, whether the one before has been answered or not.
  const calls: Promise<number>[] = [];
  const others: Promise<number>[] = [];
  const began = performance.now();
  for (let sent = 0; sent < PER_SECOND * SECONDS; sent++) {
    const due = began + (sent * 1_000) / PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    calls.push(startCall());
    await new Promise((resolve) => setTimeout(resolve, 500 / PER_SECOND));
    others.push(createLead());
  }
  const [callTimes, leadTimes] = [await Promise.all(calls), await Promise.all(others)];
  const [call, lead] = [quantile(callTimes, 0.95), quantile(leadTimes, 0.95)];
  report("call start", [
    {
      what: `POST /calls p95 at ${PER_SECOND} calls a second (p50 ${quantile(callTimes, 0.5).toFixed(1)} ms, ${callTimes.length} calls) ÷ POST /leads p95 (${lead.toFixed(1)} ms)`,
      measured: `${call.toFixed(1)} ms, ${(call / lead).toFixed(1)} ×`,
      reach: "(to be watched)",
      reached: true,
    },
  ]);
} finally {
  await service.stop();
  await postgres.stop();
}
