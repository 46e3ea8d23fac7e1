import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../server/src/testing/harness.ts";

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";
const HOOK = { target_url: "http://127.0.0.1:9/", event_types: ["*"] };
const ROW = "phone_number\n2125550100";
const TIME = { lead_id: UNKNOWN, appointment_datetime: "2027-01-01T10:00:00Z" };
const TEMPLATE = { system_prompt: "Be kind." };

/** Bodies whose values are wrong in ways that no schema or only a schema can tell, and what they are refused with. */
const wrong: [route: string, json: unknown, code: string][] = [
  ["POST /leads", { phone_number: "x" }, "invalid_phone_number"],
  ["PATCH /leads/:id", {}, "nothing_to_update"],
  ["PATCH /leads/:id", { phone_number: "2125550100" }, "phone_number_immutable"],
  ["POST /leads/inspect-csv", { csv: 'a\n"' }, "invalid_csv"],
  ["POST /leads/bulk", { csv: "" }, "csv_required"],
  ["POST /leads/bulk", { csv: '"' }, "invalid_csv"],
  ["POST /leads/bulk", { csv: `${ROW}\n"` }, "invalid_csv"],
  ["POST /leads/bulk", { csv: "2".repeat(5_000_001) }, "payload_too_large"],
  ["POST /leads/bulk", { csv: ROW, mapping: { zip: "zip" } }, "invalid_request"],
  ["POST /agents", { name: " ", call_template: TEMPLATE }, "name_required"],
  ["PATCH /agents/:id", {}, "nothing_to_update"],
  ["PATCH /agents/:id", { call_template: {} }, "nothing_to_update"],
  ["POST /agents/:id/phone-number", {}, "phone_number_required"],
  ["POST /agents/:id/phone-number", { phone_number: "" }, "phone_number_required"],
  ["POST /agents/:id/phone-number", { phone_number: " " }, "phone_number_required"],
  ["POST /agents/:id/phone-number", { phone_number: "x" }, "invalid_phone_number"],
  ["POST /agents/:id/calls", { medium: "phone" }, "invalid_to_number"],
  ["POST /calls", { medium: "browser", to_number: "2125550100", ...TEMPLATE }, "invalid_to_number"],
  ["POST /calls/:id/hangup", { reason: "x" }, "unknown_field:reason"],
  ["POST /appointments", { ...TIME, timezone: "Mars/Olympus" }, "invalid_request"],
  ["PATCH /appointments/:id", {}, "nothing_to_update"],
  ["PATCH /appointments/:id", { timezone: "Mars/Olympus" }, "invalid_request"],
  ["POST /appointments/:id/cancel", { reason: 5 }, "invalid_request"],
  ["POST /webhooks", { ...HOOK, name: " " }, "invalid_request"],
  ["POST /webhooks", { ...HOOK, target_url: "" }, "malformed_url"],
  ["POST /webhooks", { ...HOOK, target_url: "ftp://example.com/" }, "invalid_protocol"],
  ["POST /webhooks", { ...HOOK, target_url: "https://a:b@example.com/" }, "userinfo_not_allowed"],
  ["POST /webhooks", { ...HOOK, event_types: ["lead.lost"] }, "unknown_event_type:lead.lost"],
  ["PATCH /webhooks/:id", {}, "nothing_to_update"],
  ["PATCH /webhooks/:id", { name: "" }, "invalid_request"],
  ["PATCH /webhooks/:id", { target_url: "" }, "malformed_url"],
  ["PATCH /webhooks/:id", { event_types: ["lead.lost"] }, "unknown_event_type:lead.lost"],
  ["POST /campaigns/:id/start", { now: true }, "unknown_field:now"],
];

/** Values that are good, of things that don't exist: only the organization's state is left to refuse them by first. */
const good: [route: string, json?: unknown][] = [
  ["POST /leads", { phone_number: "2125550100", campaign_id: UNKNOWN }],
  ["PATCH /leads/:id", { notes: "x" }],
  ["POST /leads/inspect-csv", { csv: ROW }],
  ["POST /leads/bulk", { csv: ROW, campaign_id: UNKNOWN }],
  ["POST /agents", { name: "Clara", call_template: TEMPLATE }],
  ["PATCH /agents/:id", { name: "Clara" }],
  ["DELETE /agents/:id"],
  ["POST /agents/:id/phone-number", { phone_number: "2125550100" }],
  ["DELETE /agents/:id/phone-number"],
  ["POST /agents/:id/calls", { medium: "browser" }],
  ["POST /calls", { medium: "browser", ...TEMPLATE, lead_id: UNKNOWN }],
  ["POST /calls/:id/hangup"],
  ["POST /appointments", TIME],
  ["PATCH /appointments/:id", { notes: "x" }],
  ["POST /appointments/:id/cancel"],
  ["POST /webhooks", HOOK],
  ["PATCH /webhooks/:id", { name: "x" }],
  ["DELETE /webhooks/:id"],
  ["POST /campaigns/:id/start"],
  ["POST /campaigns/:id/stop"],
];

describe("a suspended organization's write", () => {
  let app: TestService;
  let key: string;
  beforeAll(async () => {
    app = await startTestService({ environment: { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" } });
    const organization = await app.newOrganization();
    key = organization.key;
    const path = `/private/v1/organizations/${organization.organizationId}`;
    await app.callPrivate(path, { method: "PATCH", json: { status: "suspended" } });
  });
  afterAll(() => app.close());

  const send = (route: string, json: unknown) => {
    const [method, path] = route.split(" ") as [string, string];
    const url = `/v1${path.replace(":id", UNKNOWN)}`;
    return app.call(url, { key, method, ...(json === undefined ? {} : { json }) });
  };

  it.each(wrong)("%s %j is refused for its values: %s", async (route, json, error) => {
    const answer = await send(route, json);
    expect(answer).toMatchObject({ status: error === "payload_too_large" ? 413 : 400, body: { error } });
  });

  it.each(good)(
    "%s is refused for the organization's state when its values are good",
    async (route, json) => {
      expect(await send(route, json)).toMatchObject({
        status: 403,
        body: { error: "organization_not_active" },
      });
    },
  );
});
