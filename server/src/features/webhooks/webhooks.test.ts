import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDnsServer, type TestDnsServer } from "../../testing/dns-server.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { startWebhookSink, type WebhookSink } from "../../testing/webhook-sink.ts";
import { createTargetResolver } from "./target/index.ts";

type Body = Record<string, unknown>;
const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";

describe("subscriptions, with the rules of production", () => {
  let app: TestService;
  let dns: TestDnsServer;
  let key: string;
  const create = (json: unknown) => app.call("/v1/webhooks", { key, json });
  const target_url = "https://hooks.example.com/in?x=1";

  beforeAll(async () => {
    dns = await startDnsServer({
      "hooks.example.com": { A: ["93.184.215.14"] },
      "empty.example.com": {},
      "inside4.example.com": { A: ["93.184.215.14", "10.0.0.1"] },
      "inside6.example.com": { AAAA: ["fd00::1"] },
    });
    app = await startTestService({
      service: {
        delivery: { resolver: createTargetResolver({ servers: [dns.address], allowPrivateTargets: false }) },
      },
    });
    ({ key } = await app.newOrganization());
  });
  afterAll(async () => {
    await app.close();
    await dns.close();
  });

  it("creates with a secret that is shown once, and defaults the name to the host", async () => {
    const { status, body } = await create({ target_url, event_types: ["lead.created", "lead.created"] });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "hooks.example.com",
      target_url,
      event_types: ["lead.created"],
      enabled: true,
      consecutive_failures: 0,
      last_success_at: null,
      last_failure_at: null,
      disabled_reason: null,
      created_at: expect.stringMatching(/Z$/),
      secret: expect.stringMatching(/^whsec_[0-9a-f]{64}$/),
    });
    const { secret, ...shown } = body;
    expect((await app.call(`/v1/webhooks/${body.id}`, { key })).body).toEqual(shown);
    const list = await app.call<{ data: Body[] }>("/v1/webhooks?limit=1", { key });
    expect(list.body).toEqual({ data: [shown], limit: 1, offset: 0 });
    const again = await create({ target_url, event_types: ["lead.created"] });
    expect(again.body.secret).not.toBe(secret);
    expect(again.body.id).not.toBe(body.id);
  });

  it("takes reserved types and `*`, and names of 120 code points", async () => {
    const name = "😀".repeat(120);
    const { status, body } = await create({ name, target_url, event_types: ["call.ended", "*"] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name, event_types: ["call.ended", "*"] });
  });

  const types = ["*"];
  it.each<[unknown, string]>([
    [{ event_types: types }, "malformed_url"],
    [{ target_url: 5, event_types: types }, "malformed_url"],
    [{ target_url: null, event_types: types }, "malformed_url"],
    [{ target_url: "hooks.example.com", event_types: types }, "malformed_url"],
    [{ target_url: "ftp://hooks.example.com", event_types: types }, "invalid_protocol"],
    [{ target_url: "http://hooks.example.com", event_types: types }, "https_required_in_production"],
    [{ target_url: "https://a:b@hooks.example.com", event_types: types }, "userinfo_not_allowed"],
    [{ target_url: "https:///x", event_types: types }, "missing_host"],
    [{ target_url: "https://localhost", event_types: types }, "private_hostname"],
    [{ target_url: "https://0x7f.1", event_types: types }, "private_ipv4"],
    [{ target_url: "https://[::ffff:127.0.0.1]", event_types: types }, "private_ipv6"],
    [{ target_url: "https://nowhere.example.com", event_types: types }, "dns_lookup_failed"],
    [{ target_url: "https://empty.example.com", event_types: types }, "dns_no_records"],
    [{ target_url: "https://inside4.example.com", event_types: types }, "private_resolved_ipv4"],
    [{ target_url: "https://inside6.example.com", event_types: types }, "private_resolved_ipv6"],
    [{ target_url }, "event_types_required"],
    [{ target_url, event_types: [] }, "event_types_required"],
    [{ target_url, event_types: "lead.created" }, "event_types_required"],
    [{ target_url, event_types: null }, "event_types_required"],
    [{ target_url, event_types: [1] }, "event_types_required"],
    [{ target_url, event_types: ["lead.created", "lead.gone"] }, "unknown_event_type:lead.gone"],
    [{ target_url, event_types: ["webhook.test"] }, "unknown_event_type:webhook.test"],
    [{ target_url, event_types: types, name: "n".repeat(121) }, "invalid_request"],
    [{ target_url, event_types: types, name: 5 }, "invalid_request"],
    [{ target_url: 5, event_types: types, secret: "x" }, "unknown_field:secret"],
    [{ target_url, event_types: types, organization_id: "x" }, "unknown_field:organization_id"],
  ])("refuses %j with %s", async (json, error) => {
    expect(await create(json)).toMatchObject({ status: 400, body: { error } });
  });

  it("patches, checking a target as at creation and DNS before it looks for the subscription", async () => {
    const { body: webhook } = await create({ target_url, event_types: ["*"] });
    const patch = (json: unknown, id = webhook.id) =>
      app.call(`/v1/webhooks/${id}`, { key, method: "PATCH", json });
    expect(
      await patch({ name: "N", event_types: ["lead.updated", "lead.updated"], enabled: false }),
    ).toMatchObject({ status: 200, body: { name: "N", event_types: ["lead.updated"], enabled: false } });
    expect((await patch({ enabled: true })).body).toMatchObject({ name: "N", enabled: true, target_url });
    expect(await patch({})).toMatchObject({ status: 400, body: { error: "nothing_to_update" } });
    expect(await patch({ enabled: "no" })).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await patch({ event_types: [] })).toMatchObject({ body: { error: "event_types_required" } });
    expect(await patch({ event_types: ["x"] })).toMatchObject({ body: { error: "unknown_event_type:x" } });
    expect(await patch({ secret: "x" })).toMatchObject({ body: { error: "unknown_field:secret" } });
    expect(await patch({ target_url: "https://inside4.example.com" })).toMatchObject({
      status: 400,
      body: { error: "private_resolved_ipv4" },
    });
    expect(await patch({ enabled: true }, UNKNOWN_ID)).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
    expect(await patch({ enabled: true }, "nope")).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
    expect((await app.call(`/v1/webhooks/${webhook.id}`, { key })).body).toMatchObject({ target_url });
  });

  it("deletes", async () => {
    const { body: webhook } = await create({ target_url, event_types: ["*"] });
    const path = `/v1/webhooks/${webhook.id}`;
    expect(await app.call(path, { key, method: "DELETE" })).toMatchObject({
      status: 200,
      body: { id: webhook.id, deleted: true },
    });
    for (const method of ["GET", "DELETE"]) {
      expect(await app.call(path, { key, method })).toMatchObject({
        status: 404,
        body: { error: "not_found" },
      });
    }
  });

  it("shows and changes nothing of another organization's", async () => {
    const { body: webhook } = await create({ target_url, event_types: ["*"] });
    const { key: stranger } = await app.newOrganization();
    const path = `/v1/webhooks/${webhook.id}`;
    for (const request of [
      { method: "GET" },
      { method: "PATCH", json: { enabled: false } },
      { method: "DELETE" },
    ]) {
      expect(await app.call(path, { key: stranger, ...request })).toMatchObject({ status: 404 });
    }
    expect((await app.call("/v1/webhooks", { key: stranger })).body.data).toEqual([]);
    expect((await app.call(path, { key })).body).toMatchObject({ enabled: true });
  });
});

describe("deliveries, end to end", () => {
  let app: TestService;
  let sink: WebhookSink;
  beforeAll(async () => {
    sink = await startWebhookSink();
    app = await startTestService({ environment: { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" } });
  });
  afterAll(async () => {
    await app.close();
    await sink.close();
  });

  const subscribe = async (key: string, path: string, event_types: string[]) => {
    const { body } = await app.call<{ id: string; secret: string }>("/v1/webhooks", {
      key,
      json: { target_url: sink.url(path), event_types },
    });
    return body;
  };
  const until = async <T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> => {
    for (const deadline = performance.now() + 10_000; ; ) {
      const value = await read();
      if (done(value)) return value;
      if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(value)}`);
    }
  };

  it("sends a signed event that the official stripe library verifies, and logs it", async () => {
    const { key, organizationId } = await app.newOrganization();
    const webhook = await subscribe(key, "/signed", ["lead.created"]);
    const { body: lead } = await app.call("/v1/leads", { key, json: { phone_number: "4155550100" } });
    const [request] = await sink.waitFor((all) => all.some(({ path }) => path === "/signed"));

    const event = new Stripe("sk_test_x").webhooks.constructEvent(
      request!.body,
      request!.headers["x-service-signature-256"]!,
      webhook.secret,
    ) as unknown as Body;
    expect(event).toEqual({
      id: expect.any(String),
      type: "lead.created",
      organization_id: organizationId,
      occurred_at: lead.created_at,
      data: { lead_id: lead.id, deduped: false, source: "public_api" },
    });
    expect(request).toMatchObject({
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "service-webhooks/1.0",
        "x-service-event": "lead.created",
        "x-service-event-id": event.id,
        "x-service-delivery-attempt": "1",
      },
    });

    const path = `/private/v1/organizations/${organizationId}/deliveries`;
    const {
      body: { data },
    } = await until(
      () => app.callPrivate<{ data: Body[] }>(path),
      ({ body }) => body.data[0]?.state === "delivered",
    );
    expect(data).toEqual([
      {
        id: expect.any(String),
        event_id: event.id,
        event_type: "lead.created",
        subscription_id: webhook.id,
        state: "delivered",
        attempt: 1,
        attempts_made: 1,
        next_attempt_at: null,
        created_at: lead.created_at,
        finished_at: expect.any(String),
        last_status_code: 200,
        last_error: null,
        attempts: [
          {
            number: 1,
            attempt: 1,
            started_at: expect.any(String),
            duration_ms: expect.any(Number),
            status_code: 200,
            error: null,
            response_excerpt: "",
          },
        ],
      },
    ]);
    expect((await app.callPrivate(`${path}/${data[0]!.id}`)).body).toEqual({ ...data[0], event });
    expect((await app.call(`/v1/webhooks/${webhook.id}`, { key })).body).toMatchObject({
      consecutive_failures: 0,
      last_success_at: data[0]!.finished_at,
      last_failure_at: null,
    });
  });

  it("sends each event to the enabled subscriptions that want it, and to no others", async () => {
    const { key } = await app.newOrganization();
    await subscribe(key, "/all", ["*"]);
    await subscribe(key, "/updates", ["lead.updated"]);
    const off = await subscribe(key, "/off", ["*"]);
    await app.call(`/v1/webhooks/${off.id}`, { key, method: "PATCH", json: { enabled: false } });
    const stranger = await app.newOrganization();
    await subscribe(stranger.key, "/stranger", ["*"]);
    await app.call("/v1/leads", { key, json: { phone_number: "4155550101" } });
    await app.call("/v1/leads", { key, json: { phone_number: "4155550101" } });
    const paths = ["/all", "/updates", "/off", "/stranger"];
    const requests = await sink.waitFor(
      (all) =>
        all.filter(({ path }) => path === "/all").length === 2 && all.some(({ path }) => path === "/updates"),
    );
    expect(
      requests
        .map(({ path }) => path)
        .filter((path) => paths.includes(path))
        .sort(),
    ).toEqual(["/all", "/all", "/updates"]);
    await app.call(`/v1/webhooks/${off.id}`, { key, method: "PATCH", json: { enabled: true } });
    await app.call("/v1/leads", { key, json: { phone_number: "4155550101" } });
    const [only] = await sink.waitFor((all) => all.some(({ path }) => path === "/off"));
    expect(only).toBeDefined();
    expect(sink.requests.filter(({ path }) => path === "/off")).toHaveLength(1);
  });

  it("lists by subscription and state, newest first, in pages", async () => {
    const { key, organizationId } = await app.newOrganization();
    const good = await subscribe(key, "/good", ["*"]);
    sink.script("/bad", { kind: "respond", status: 500, body: "é".repeat(1_000) });
    const bad = await subscribe(key, "/bad", ["*"]);
    for (const last of [1, 2, 3]) {
      await app.call("/v1/leads", { key, json: { phone_number: `415555020${last}` } });
    }
    const list = (query: string) =>
      app.callPrivate<{ data: Body[] }>(`/private/v1/organizations/${organizationId}/deliveries${query}`);
    const failed = await until(
      () => list("?state=retrying"),
      ({ body }) => body.data.length === 3,
    );
    expect(failed.body.data.every((delivery) => delivery.subscription_id === bad.id)).toBe(true);
    expect(failed.body.data[0]).toMatchObject({
      attempt: 1,
      last_status_code: 500,
      last_error: "http_status",
      finished_at: null,
    });
    const { body: all } = await until(
      () => list(""),
      ({ body }) => body.data.filter(({ state }) => state === "delivered").length === 3,
    );
    const createdAt = all.data.map((delivery) => String(delivery.created_at));
    expect(createdAt).toEqual([...createdAt].sort().reverse());
    expect((await list(`?subscription_id=${good.id}`)).body.data).toHaveLength(3);
    expect((await list(`?subscription_id=${good.id}&state=retrying`)).body.data).toEqual([]);
    expect((await list("?limit=2&offset=1")).body).toEqual({
      data: all.data.slice(1, 3),
      limit: 2,
      offset: 1,
    });
    expect(await list("?state=lost")).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    const { body: details } = await app.callPrivate<{ attempts: { response_excerpt: string }[] }>(
      `/private/v1/organizations/${organizationId}/deliveries/${failed.body.data[0]!.id}`,
    );
    expect(details.attempts[0]!.response_excerpt).toBe("é".repeat(512));
  });

  it("discards what is queued when the subscription is disabled or deleted", async () => {
    const { key, organizationId } = await app.newOrganization();
    sink.script("/failing", { kind: "respond", status: 503 });
    const disabled = await subscribe(key, "/failing", ["*"]);
    const deleted = await subscribe(key, "/failing", ["*"]);
    await app.call("/v1/leads", { key, json: { phone_number: "4155550300" } });
    const list = () =>
      app.callPrivate<{ data: Body[] }>(`/private/v1/organizations/${organizationId}/deliveries`);
    await until(list, ({ body }) => body.data.filter(({ state }) => state === "retrying").length === 2);
    // What is enabled already keeps its count: only a success resets that.
    expect(
      await app.call(`/v1/webhooks/${disabled.id}`, { key, method: "PATCH", json: { enabled: true } }),
    ).toMatchObject({ body: { enabled: true, consecutive_failures: 1 } });
    await app.call(`/v1/webhooks/${disabled.id}`, { key, method: "PATCH", json: { enabled: false } });
    await app.call(`/v1/webhooks/${deleted.id}`, { key, method: "DELETE" });
    const { body } = await list();
    for (const delivery of body.data) {
      expect(delivery).toMatchObject({
        state: "discarded",
        next_attempt_at: null,
        finished_at: expect.any(String),
        attempts_made: 1,
      });
    }
    // Enabling brings nothing of it back.
    const enabled = await app.call(`/v1/webhooks/${disabled.id}`, {
      key,
      method: "PATCH",
      json: { enabled: true },
    });
    expect(enabled.body).toMatchObject({ enabled: true, consecutive_failures: 0, disabled_reason: null });
    expect((await list()).body.data.map(({ state }) => state)).toEqual(["discarded", "discarded"]);
  });

  it("replays a delivery: same event, attempts counted anew, and audited", async () => {
    const { key, organizationId } = await app.newOrganization();
    const webhook = await subscribe(key, "/replayed", ["*"]);
    await app.call("/v1/leads", { key, json: { phone_number: "4155550400" } });
    const base = `/private/v1/organizations/${organizationId}`;
    const list = () => app.callPrivate<{ data: Body[] }>(`${base}/deliveries`);
    const { body } = await until(list, ({ body }) => body.data[0]?.state === "delivered");
    const path = `${base}/deliveries/${body.data[0]!.id}`;
    const replay = () =>
      app.callPrivate(`${path}/replay`, { method: "POST", headers: { "x-outreach-actor": "ada" } });
    expect(await replay()).toMatchObject({
      status: 200,
      body: { id: body.data[0]!.id, attempts_made: 1, attempt: 0, finished_at: null },
    });
    const { body: after } = await until(
      () => app.callPrivate<Body & { attempts: Body[] }>(path),
      ({ body }) => body.attempts_made === 2 && body.state === "delivered",
    );
    expect(after.attempts.map(({ number, attempt }) => [number, attempt])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    const sent = sink.requests.filter((request) => request.path === "/replayed");
    expect(sent).toHaveLength(2);
    expect(sent[1]!.body.equals(sent[0]!.body)).toBe(true);
    const audit = await app.callPrivate<{ data: Body[] }>(`${base}/audit`);
    expect(audit.body.data).toContainEqual(
      expect.objectContaining({ action: "webhook_delivery.replayed", actor: "ada" }),
    );
    await app.call(`/v1/webhooks/${webhook.id}`, { key, method: "PATCH", json: { enabled: false } });
    expect(await replay()).toMatchObject({ status: 409, body: { error: "conflict" } });
    await app.call(`/v1/webhooks/${webhook.id}`, { key, method: "DELETE" });
    expect(await replay()).toMatchObject({ status: 409, body: { error: "conflict" } });
  });

  it("refuses to replay what is still queued", async () => {
    const { key, organizationId } = await app.newOrganization();
    sink.script("/later", { kind: "respond", status: 500 });
    await subscribe(key, "/later", ["*"]);
    await app.call("/v1/leads", { key, json: { phone_number: "4155550401" } });
    const base = `/private/v1/organizations/${organizationId}/deliveries`;
    const { body } = await until(
      () => app.callPrivate<{ data: Body[] }>(base),
      ({ body }) => body.data[0]?.state === "retrying",
    );
    const replay = await app.callPrivate(`${base}/${body.data[0]!.id}/replay`, { method: "POST" });
    expect(replay).toMatchObject({ status: 409, body: { error: "conflict" } });
  });

  it("replays a subscription's dead letters, in batches", async () => {
    const { key, organizationId } = await app.newOrganization();
    const webhook = await subscribe(key, "/dead", ["lead.created"]);
    const other = await subscribe(key, "/other-dead", ["call.ended"]);
    await app.database.query({
      text: `WITH event AS (
          INSERT INTO events (organization_id, id, type, data, occurred_at)
          SELECT $1, uuid_v7_at(1700000000000), 'lead.created', '{}', '2026-01-01' FROM generate_series(1, 1200)
          RETURNING id)
        INSERT INTO webhook_deliveries
          (organization_id, id, event_id, subscription_id, state, attempt, attempts_made, created_at, finished_at)
        SELECT $1, uuid_v7_at(1700000000000), event.id, subscription, 'dead_letter', 8, 8, '2026-01-01', '2026-01-02'
        FROM event, unnest($2::uuid[]) AS subscription`,
      values: [organizationId, [webhook.id, other.id]],
    });
    const base = `/private/v1/organizations/${organizationId}`;
    const replay = () =>
      app.callPrivate(`${base}/webhooks/${webhook.id}/replay-dead-letters`, { method: "POST" });
    expect(await replay()).toMatchObject({ status: 200, body: { replayed: 1_200 } });
    await sink.waitFor((all) => all.filter(({ path }) => path === "/dead").length === 1_200, 20_000);
    expect(await replay()).toMatchObject({ status: 200, body: { replayed: 0 } });
    expect(sink.requests.some(({ path }) => path === "/other-dead")).toBe(false);
    const dead = await app.callPrivate<{ data: Body[] }>(`${base}/deliveries?state=dead_letter&limit=1`);
    expect(dead.body.data[0]).toMatchObject({ subscription_id: other.id });
  });

  it("pings one subscription and no other", async () => {
    const { key, organizationId } = await app.newOrganization();
    const pinged = await subscribe(key, "/pinged", ["call.ended"]);
    await subscribe(key, "/not-pinged", ["*"]);
    const base = `/private/v1/organizations/${organizationId}/webhooks`;
    const ping = (id = pinged.id) => app.callPrivate(`${base}/${id}/ping`, { method: "POST" });
    const { status, body } = await ping();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      event_type: "webhook.test",
      subscription_id: pinged.id,
      event: { type: "webhook.test", data: { subscription_id: pinged.id } },
    });
    const [request] = (await sink.waitFor((all) => all.some(({ path }) => path === "/pinged"))).filter(
      ({ path }) => path === "/pinged",
    );
    expect(request!.headers["x-service-event"]).toBe("webhook.test");
    expect(JSON.parse(request!.body.toString())).toEqual(body.event);
    expect(sink.requests.some(({ path }) => path === "/not-pinged")).toBe(false);
    const list = await app.callPrivate<{ data: Body[] }>(base);
    expect(list.body.data).toHaveLength(2);
    expect(list.body.data[0]).not.toHaveProperty("secret");
    expect(await ping(UNKNOWN_ID)).toMatchObject({ status: 404, body: { error: "not_found" } });
    await app.call(`/v1/webhooks/${pinged.id}`, { key, method: "PATCH", json: { enabled: false } });
    expect(await ping()).toMatchObject({ status: 409, body: { error: "conflict" } });
  });

  it("answers organization_not_found and not_found below unknown ones", async () => {
    const { organizationId } = await app.newOrganization();
    for (const path of ["webhooks", "deliveries", `deliveries/${UNKNOWN_ID}`]) {
      expect(await app.callPrivate(`/private/v1/organizations/${UNKNOWN_ID}/${path}`)).toMatchObject({
        status: 404,
        body: { error: "organization_not_found" },
      });
    }
    const base = `/private/v1/organizations/${organizationId}`;
    expect(await app.callPrivate(`${base}/deliveries/${UNKNOWN_ID}`)).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
    for (const path of [`deliveries/${UNKNOWN_ID}/replay`, `webhooks/${UNKNOWN_ID}/replay-dead-letters`]) {
      expect(await app.callPrivate(`${base}/${path}`, { method: "POST" })).toMatchObject({
        status: 404,
        body: { error: "not_found" },
      });
    }
  });
});
