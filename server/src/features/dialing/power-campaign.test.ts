import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";

/** More lines than seats, over the simulated carrier's numbers: real audio, real voices, real time. */

/** A Tuesday, 13:00 in New York. */
const START = Date.UTC(2026, 5, 9, 17);
const WITHIN_MS = 60_000;

let app: TestService;
beforeAll(async () => {
  app = await startTestService({ clock: systemClock(START) });
});
afterAll(() => app.close());

it("talks to one of two people who answer one seat, and tells the other that nobody is free", async () => {
  const { organizationId, key } = await app.newOrganization();
  const path = `/private/v1/organizations/${organizationId}`;
  await app.callPrivate(`${path}/wallet/credits`, { json: { tokens: 100_000 } });
  await app.callPrivate(`${path}/numbers`, { json: { phone_number: "2125550150" } });
  const agent = await app.call("/v1/agents", {
    key,
    json: { name: "Ada", call_template: { system_prompt: "Be kind.", greeting: "Hello, this is Ada." } },
  });
  const campaign = await app.callPrivate(`${path}/campaigns`, {
    json: {
      name: "Spring",
      status: "active",
      assigned_ai_agent_id: agent.body.id,
      dialer_mode: "power",
      concurrency: 1,
      lines_per_seat: 2,
    },
  });
  // Both stay on the line until somebody hangs up.
  for (const number of ["2125550110", "7185550110"]) {
    const json = { phone_number: number, campaign_id: campaign.body.id };
    expect((await app.call("/v1/leads", { key, json })).status).toBe(201);
  }
  const calls = async () =>
    (
      await app.call<{ data: { id: string; status: string; call_outcome: string | null }[] }>(
        `/v1/calls?campaign_id=${campaign.body.id}`,
        { key },
      )
    ).body.data;
  const abandoned = async () => (await calls()).find(({ call_outcome }) => call_outcome === "abandoned");
  await expect.poll(abandoned, { timeout: WITHIN_MS, interval: 200 }).toBeDefined();

  const lost = (await abandoned())!;
  const all = await calls();
  expect(all).toHaveLength(2);
  const seated = all.find(({ id }) => id !== lost.id)!;
  expect(seated.status).toBe("in-progress");
  const transcript = await app.call<{ turns: { role: string; text: string; start_ms: number }[] }>(
    `/v1/calls/${lost.id}/transcript`,
    { key },
  );
  const said = transcript.body.turns.filter(({ role }) => role === "agent");
  expect(said).toHaveLength(1);
  expect(said[0]!.text).toMatch(
    /nobody is free to talk right now.* 2 1 2, 5 5 5, 0 1 5 0\..* press 9\. Goodbye\.$/,
  );
  const [attempt] = await app.database.query<Record<string, unknown>>({
    text: "SELECT abandoned, state, outcome FROM dial_attempts WHERE organization_id = $1 AND id = $2",
    values: [organizationId, lost.id],
  });
  expect(attempt).toEqual({ abandoned: true, state: "settled", outcome: "abandoned" });

  await app.call(`/v1/calls/${seated.id}/hangup`, { key, method: "POST" });
  const progress = await app.callPrivate(`${path}/campaigns/${campaign.body.id}/progress`);
  expect(progress.body).toMatchObject({ abandoned_30_days: 1, abandonment_rate_30_days: 0.5 });
}, 90_000);
