import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";

/** A campaign over the simulated carrier's numbers: real audio, real time, as an operator runs it. */

/** A Tuesday, 13:00 in New York. */
const START = Date.UTC(2026, 5, 9, 17);
const WITHIN_MS = 90_000;

let app: TestService;
beforeAll(async () => {
  app = await startTestService({ clock: systemClock(START) });
});
afterAll(() => app.close());

it("leaves every lead where its call did, each attempt with its verdict", async () => {
  const { organizationId, key } = await app.newOrganization();
  const path = `/private/v1/organizations/${organizationId}`;
  await app.callPrivate(`${path}/wallet/credits`, { json: { tokens: 100_000 } });
  await app.callPrivate(`${path}/numbers`, { json: { phone_number: "2125550150" } });
  const agent = await app.call("/v1/agents", {
    key,
    json: {
      name: "Ada",
      call_template: {
        system_prompt: "Be kind.",
        greeting: "Hello, this is Ada.",
        tools: ["book_appointment", "record_opt_out", "end_call"],
      },
    },
  });
  const campaign = await app.callPrivate(`${path}/campaigns`, {
    json: { name: "Spring", status: "active", assigned_ai_agent_id: agent.body.id },
  });
  const campaignId = String(campaign.body.id);
  const expected: Record<string, { status: string; state: string; outcome: string; answered?: string }> = {
    "0100": { status: "completed", state: "done", outcome: "completed", answered: "human" },
    "0101": { status: "busy", state: "waiting", outcome: "busy" },
    "0104": { status: "voicemail", state: "waiting", outcome: "voicemail", answered: "machine" },
    "0106": { status: "failed", state: "done", outcome: "blocked" },
    "0107": { status: "do_not_call", state: "done", outcome: "do_not_call", answered: "human" },
    "0108": { status: "completed", state: "done", outcome: "appointment_set", answered: "human" },
  };
  for (const suffix of Object.keys(expected)) {
    const json = { phone_number: `212555${suffix}`, campaign_id: campaignId };
    expect((await app.call("/v1/leads", { key, json })).status).toBe(201);
  }
  const read = () =>
    app.database.query<Record<string, unknown>>({
      text: `
        SELECT right(attempt.phone_number, 4) AS suffix, attempt.outcome, attempt.answered_by, attempt.state AS attempt_state,
          entry.state, lead.status, call.campaign_id, verdict.allowed, verdict.rule_id
        FROM dial_attempts AS attempt
        JOIN dial_entries AS entry USING (organization_id, campaign_id, lead_id)
        JOIN leads AS lead ON lead.organization_id = attempt.organization_id AND lead.id = attempt.lead_id
        JOIN dial_verdicts AS verdict ON verdict.organization_id = attempt.organization_id AND verdict.call_id = attempt.id
        LEFT JOIN calls AS call ON call.organization_id = attempt.organization_id AND call.id = attempt.id
        WHERE attempt.organization_id = $1 ORDER BY 1`,
      values: [organizationId],
    });
  await expect
    .poll(async () => (await read()).filter(({ attempt_state }) => attempt_state === "settled").length, {
      timeout: WITHIN_MS,
      interval: 200,
    })
    .toBe(Object.keys(expected).length);
  expect(await read()).toEqual(
    Object.entries(expected).map(([suffix, { status, state, outcome, answered }]) => ({
      ...{ suffix, status, state, outcome, answered_by: answered ?? null, attempt_state: "settled" },
      ...{ campaign_id: campaignId, allowed: true, rule_id: "us-hours" },
    })),
  );
}, 120_000);
