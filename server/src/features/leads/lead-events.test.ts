import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

describe("what is reported of leads, and to whom they belong", () => {
  let app: TestService;
  let ours: { organizationId: string; key: string };
  let theirs: { organizationId: string; key: string };
  const campaign = async (organizationId: string) => {
    const path = `/private/v1/organizations/${organizationId}/campaigns`;
    return String((await app.callPrivate(path, { json: { name: "C" } })).body.id);
  };
  const eventsOf = (leadId: unknown) =>
    app.database.query<{ type: string; data: Record<string, unknown>; organization_id: string }>({
      text: "SELECT type, data, organization_id FROM events WHERE data->>'lead_id' = $1 ORDER BY id",
      values: [leadId],
    });
  beforeAll(async () => {
    app = await startTestService();
    ours = await app.newOrganization();
    theirs = await app.newOrganization();
  });
  afterAll(() => app.close());

  it("is one event for each write, with exactly its data", async () => {
    const { key } = ours;
    const json = { phone_number: "4155550100" };
    const { body: lead } = await app.call("/v1/leads", { key, json });
    await app.call("/v1/leads", { key, json });
    const patch = (fields: object) =>
      app.call(`/v1/leads/${String(lead.id).toUpperCase()}`, { key, method: "PATCH", json: fields });
    await patch({ notes: "n", first_name: "A" });
    await patch({ first_name: "B", status: "hot" });
    const source = "public_api";
    expect(await eventsOf(lead.id)).toEqual(
      [
        { type: "lead.created", data: { lead_id: lead.id, deduped: false, source } },
        { type: "lead.updated", data: { lead_id: lead.id, deduped: true, source } },
        { type: "lead.updated", data: { lead_id: lead.id, changes: ["notes", "first_name"], source } },
        {
          type: "lead.disposition_changed",
          data: { lead_id: lead.id, changes: ["first_name", "status"], source },
        },
      ].map((event) => ({ ...event, organization_id: ours.organizationId })),
    );
  });

  it("is queued for the enabled subscriptions that want the type, and for no other organization's", async () => {
    const { key } = await app.newOrganization();
    const subscribe = async (organizationId: string, types: string[], enabled = true) => {
      const [row] = await app.database.query<{ id: string }>({
        text: `INSERT INTO webhook_subscriptions
                 (organization_id, id, name, target_url, event_types, secret, enabled, created_at, updated_at)
               VALUES ($1, gen_random_uuid(), 'n', 'https://example.invalid', $2, 's', $3, now(), now()) RETURNING id`,
        values: [organizationId, types, enabled],
      });
      return row!.id;
    };
    const { organizationId } = ours;
    const wanting = [
      await subscribe(organizationId, ["*"]),
      await subscribe(organizationId, ["lead.updated", "lead.created"]),
    ];
    await subscribe(organizationId, ["lead.updated"]);
    await subscribe(organizationId, ["*"], false);
    await subscribe(theirs.organizationId, ["*"]);
    const made = [
      await app.call("/v1/leads", { key: ours.key, json: { phone_number: "4155550150" } }),
      await app.call("/v1/leads/bulk", { key: ours.key, json: { csv: "phone_number\n4155550151\n" } }),
      await app.call("/v1/leads", { key, json: { phone_number: "4155550150" } }),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 202, 201]);
    const queued = await app.database.query<{ subscription_id: string; state: string; phone_number: string }>(
      {
        text: `SELECT d.subscription_id, d.state, l.phone_number FROM webhook_deliveries d
             JOIN events e ON e.organization_id = d.organization_id AND e.id = d.event_id
             JOIN leads l ON l.organization_id = e.organization_id AND l.id = (e.data->>'lead_id')::uuid
             WHERE l.phone_number IN ('+14155550150', '+14155550151')`,
      },
    );
    expect(queued.map((row) => `${row.phone_number} ${row.subscription_id}`).sort()).toEqual(
      ["+14155550150", "+14155550151"].flatMap((number) => wanting.map((id) => `${number} ${id}`)).sort(),
    );
  });

  it("answers 404 to reads and writes of another organization's lead, and keeps it as it is", async () => {
    const { body: lead } = await app.call("/v1/leads", {
      key: ours.key,
      json: { phone_number: "4155550160" },
    });
    const path = `/v1/leads/${lead.id}`;
    const answers = [
      await app.call(path, { key: theirs.key }),
      await app.call(path, { key: theirs.key, method: "PATCH", json: { first_name: "X" } }),
      await app.call(`/v1/leads/${ours.organizationId}`, { key: ours.key }),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await app.call(path, { key: ours.key })).body).toEqual(lead);
    expect(await app.call("/v1/leads/nope", { key: ours.key })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
  });

  it("takes the caller's campaigns only, on create and on patch", async () => {
    const [mine, other] = [await campaign(ours.organizationId), await campaign(theirs.organizationId)];
    const { key } = ours;
    const refused = await app.call("/v1/leads", {
      key,
      json: { phone_number: "4155550170", campaign_id: other },
    });
    expect(refused).toMatchObject({ status: 404, body: { error: "campaign_not_found" } });
    const { body: lead } = await app.call("/v1/leads", {
      key,
      json: { phone_number: "4155550170", campaign_id: mine },
    });
    expect(lead).toMatchObject({ campaign_id: mine, source_tag: `api:campaign:${mine}` });
    const patch = (campaign_id: string | null) =>
      app.call(`/v1/leads/${lead.id}`, { key, method: "PATCH", json: { campaign_id } });
    expect(await patch(other)).toMatchObject({ status: 404, body: { error: "campaign_not_found" } });
    expect(await patch(null)).toMatchObject({ status: 200, body: { campaign_id: null } });
    expect(await patch(mine)).toMatchObject({ status: 200, body: { campaign_id: mine } });
    expect((await eventsOf(lead.id)).map(({ type }) => type)).toEqual([
      "lead.created",
      "lead.updated",
      "lead.updated",
    ]);
  });

  it("keeps source_tag and created_at when a match moves the lead to a campaign", async () => {
    const { key } = ours;
    const { body: first } = await app.call("/v1/leads", { key, json: { phone_number: "4155550180" } });
    const campaign_id = await campaign(ours.organizationId);
    const { body: second } = await app.call("/v1/leads", {
      key,
      json: { phone_number: "4155550180", campaign_id },
    });
    expect(second).toMatchObject({
      id: first.id,
      campaign_id,
      source_tag: "api:standalone",
      created_at: first.created_at,
    });
  });
});
