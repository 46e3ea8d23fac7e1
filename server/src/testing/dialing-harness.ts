import { callingRules, createDecideCall, loadRules } from "../features/compliance/index.ts";
import type { ClaimDeps } from "../features/dialing/dialing-deps.ts";
import { idsFrom } from "../ids.ts";
import type { Carrier } from "../voice/carriers/carrier.ts";
import { type FakeVoicePlane, fakeVoicePlane } from "./fake-voice-plane.ts";
import { startTestService, type TestService } from "./harness.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import type { TestDatabase } from "./test-database.ts";

/** A service that dials on a fake plane, by a clock that the test moves. */
export interface DialingHarness {
  app: TestService;
  plane: FakeVoicePlane;
  clock: ManualClock;
  /** What claims by hand are made with. */
  claims: ClaimDeps;
  /** An organization with tokens, a number, and a campaign with an agent. */
  newCampaign(options?: {
    tokens?: number;
    concurrency?: number;
    fields?: Record<string, unknown>;
  }): Promise<TestCampaign>;
  close(): Promise<void>;
}

export interface TestCampaign {
  organizationId: string;
  key: string;
  campaignId: string;
  /** Below `/private/v1`. */
  path: string;
  addLead(number: string, fields?: Record<string, unknown>): Promise<string>;
  /** A lead that waits until 2030: the campaign isn't completed before. */
  keepOpen(): Promise<void>;
  /** As it is stored. */
  entry(leadId: string): Promise<Record<string, unknown>>;
  attempts(): Promise<Record<string, unknown>[]>;
  verdicts(): Promise<Record<string, unknown>[]>;
  lead(leadId: string): Promise<Record<string, unknown>>;
  campaign(): Promise<Record<string, unknown>>;
  steer(trigger: string): Promise<unknown>;
}

/** A Tuesday, 13:00 in New York and 10:00 in Los Angeles: wherever the tests' numbers are, people may be called. */
const TUESDAY = Date.UTC(2026, 5, 9, 17);

const carrier: Carrier = {
  name: "simulated",
  dial: () => Promise.reject(new Error("The fake plane dials nothing.")),
  close: async () => {},
};

export async function startDialingHarness(
  options: {
    testDatabase?: TestDatabase;
    clock?: ManualClock;
    environment?: Record<string, string>;
    /** Whether the service dials by itself; default true. */
    dials?: boolean;
  } = {},
): Promise<DialingHarness> {
  const clock = options.clock ?? manualClock(TUESDAY);
  const plane = fakeVoicePlane(clock);
  const app = await startTestService({
    ...(options.testDatabase ? { testDatabase: options.testDatabase } : {}),
    clock,
    environment: {
      ...(options.dials === false ? { ROLES: "api,admin,voice" } : {}),
      ...options.environment,
    },
    service: { voice: { plane, carriers: [carrier], drainMs: 0 } },
  });
  const rows = (text: string, ...values: unknown[]) =>
    app.database.query<Record<string, unknown>>({ text, values });

  return {
    app,
    plane,
    clock,
    claims: {
      database: app.database,
      clock,
      newId: idsFrom(clock),
      dialingMetrics: { attemptEnded() {} },
      campaignsChanged() {},
      decideCall: createDecideCall(loadRules(callingRules)),
    },
    async newCampaign({ tokens = 100_000, concurrency = 10, fields = {} } = {}) {
      const { organizationId, key } = await app.newOrganization();
      const path = `/private/v1/organizations/${organizationId}`;
      const made = async (at: string, json: unknown, method = "POST") => {
        const answer = await app.callPrivate(at, { json, method });
        if (answer.status >= 300) throw new Error(`${at}: ${JSON.stringify(answer.body)}`);
        return answer.body;
      };
      if (tokens > 0) await made(`${path}/wallet/credits`, { tokens });
      await made(path, { concurrency_limit: concurrency }, "PATCH");
      await made(`${path}/numbers`, { phone_number: "4155550199" });
      const agent = await app.call("/v1/agents", {
        key,
        json: { name: "Ada", call_template: { system_prompt: "Be kind." } },
      });
      const campaign = await made(`${path}/campaigns`, {
        name: "Spring",
        status: "active",
        assigned_ai_agent_id: agent.body.id,
        ...fields,
      });
      const campaignId = String(campaign.id);
      return {
        organizationId,
        key,
        campaignId,
        path,
        async addLead(phoneNumber, more = {}) {
          const json = { phone_number: phoneNumber, campaign_id: campaignId, ...more };
          return String((await app.call("/v1/leads", { key, json })).body.id);
        },
        async keepOpen() {
          const lead = await app.call("/v1/leads", { key, json: { phone_number: "+12125559999" } });
          await rows(
            `INSERT INTO dial_entries (organization_id, campaign_id, lead_id, phone_number, state, next_at)
             VALUES ($1, $2, $3, '+12125559999', 'waiting', '2030-01-01')`,
            ...[organizationId, campaignId, lead.body.id],
          );
        },
        entry: async (leadId) =>
          (
            await rows(
              "SELECT * FROM dial_entries WHERE campaign_id = $1 AND lead_id = $2",
              campaignId,
              leadId,
            )
          )[0]!,
        attempts: () =>
          rows("SELECT * FROM dial_attempts WHERE campaign_id = $1 ORDER BY claimed_at, id", campaignId),
        verdicts: () => rows("SELECT * FROM dial_verdicts WHERE campaign_id = $1 ORDER BY id", campaignId),
        lead: async (leadId) => (await app.call(`/v1/leads/${leadId}`, { key })).body,
        campaign: async () => (await rows("SELECT * FROM campaigns WHERE id = $1", campaignId))[0]!,
        steer: (trigger) => made(`${path}/campaigns/${campaignId}/${trigger}`, {}),
      };
    },
    close: () => app.close(),
  };
}
