import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../http/scopes.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";
const MINUTE = 60_000;

describe("api keys", () => {
  const clock = manualClock();
  let app: TestService;
  let organizationId: string;
  beforeAll(async () => {
    app = await startTestService({ clock });
    ({ organizationId } = await app.newOrganization());
  });
  afterAll(() => app.close());

  const keys = (path = "", id = organizationId) => `/private/v1/organizations/${id}/keys${path}`;
  const post = (path: string, json: unknown = {}, actor = "ada") =>
    app.callPrivate(path, { json, headers: { "x-outreach-actor": actor } });
  const create = async (json: Record<string, unknown> = {}) => {
    const { body } = await post(keys(), { name: "K", rate_limit_per_minute: 1000, ...json });
    return body as { id: string; key: string; [field: string]: unknown };
  };
  const use = async (key: string) => {
    const { status, body } = await app.call("/v1/account", { key });
    return status === 200 ? 200 : body.error;
  };
  const audited = async (action: string, subjectId: string) => {
    const { body } = await app.callPrivate(
      `/private/v1/organizations/${organizationId}/audit?subject_type=api_key&action=${action}`,
    );
    return (body.data as { subject_id: string }[]).filter(({ subject_id }) => subject_id === subjectId);
  };

  it("creates one with every scope by default, and shows its text that once", async () => {
    const created = await post(keys(), { name: "Default" });
    expect(created).toMatchObject({
      status: 201,
      body: {
        organization_id: organizationId,
        name: "Default",
        key: expect.stringMatching(/^service_live_[0-9a-f]{64}$/),
        status: "active",
        scopes: SCOPES,
        rate_limit_per_minute: 60,
        expires_at: null,
        revoked_at: null,
        rotated_from: null,
        last_used_at: null,
        created_at: new Date(clock.now()).toISOString(),
      },
    });
    const { key, ...shown } = created.body;
    expect(await use(String(key))).toBe(200);
    const { body: list } = await app.callPrivate(keys());
    expect(list.data).toContainEqual(shown);
    const text = JSON.stringify(list);
    expect(text).not.toContain(key);
    expect(text).not.toContain(createHash("sha256").update(String(key)).digest("hex"));
    expect(await audited("api_key.created", String(shown.id))).toMatchObject([
      { actor: "ada", created_at: shown.created_at },
    ]);
  });

  it("takes scopes once each, a rate limit and an expiry", async () => {
    const created = await create({
      scopes: ["account:read", "leads:read", "account:read"],
      rate_limit_per_minute: 1_000_000,
      expires_at: "2026-02-01",
    });
    expect(created).toMatchObject({
      scopes: ["account:read", "leads:read"],
      rate_limit_per_minute: 1_000_000,
      expires_at: "2026-02-01T00:00:00.000Z",
    });
  });

  it("makes a key whose expiry is past, which is expired at once", async () => {
    const created = await create({ expires_at: "2020-01-01T00:00:00Z" });
    expect(created.status).toBe("expired");
    expect(await use(created.key)).toBe("expired_api_key");
  });

  it("gives a sandbox test keys", async () => {
    const sandbox = await app.newOrganization({ sandbox: true });
    const { body } = await post(keys("", sandbox.organizationId), { name: "T" });
    expect(body.key).toMatch(/^service_test_[0-9a-f]{64}$/);
  });

  it.each([
    [{}, "invalid_request"],
    [{ name: "" }, "invalid_request"],
    [{ name: "\t" }, "invalid_request"],
    [{ name: "x".repeat(121) }, "invalid_request"],
    [{ name: "x", scopes: [] }, "invalid_request"],
    [{ name: "x", scopes: "leads:read" }, "invalid_request"],
    [{ name: "x", scopes: ["leads:read", "leads:delete"] }, "unknown_scope:leads:delete"],
    [{ name: "x", rate_limit_per_minute: 0 }, "invalid_request"],
    [{ name: "x", rate_limit_per_minute: 1_000_001 }, "invalid_request"],
    [{ name: "x", rate_limit_per_minute: "60" }, "invalid_request"],
    [{ name: "x", expires_at: "soon" }, "invalid_request"],
    [{ name: "x", key: "mine" }, "unknown_field:key"],
  ])("refuses to create from %j: %s", async (json, error) => {
    expect(await post(keys(), json)).toMatchObject({ status: 400, body: { error } });
  });

  it("keeps a key's text in no table", async () => {
    const { key } = await create({ name: "Secret" });
    const rotated = await create();
    const { body } = await post(keys(`/${rotated.id}/rotate`));
    await app.call("/v1/leads", {
      key,
      json: { phone_number: "4155550100" },
      headers: { "idempotency-key": "one" },
    });
    const tables = await app.database.query<{ name: string }>({
      text: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    });
    expect(tables.length).toBeGreaterThan(10);
    for (const text of [key, rotated.key, String(body.key)]) {
      const secret = text.slice("service_live_".length);
      const traces = [
        secret.slice(8),
        Buffer.from(text).toString("hex"),
        Buffer.from(text).toString("base64"),
      ];
      for (const { name } of tables) {
        const rows = await app.database.query({
          text: `SELECT 1 FROM "${name}" AS t WHERE EXISTS (SELECT FROM unnest($1::text[]) AS trace WHERE strpos(t::text, trace) > 0)`,
          values: [traces],
        });
        expect(rows, name).toEqual([]);
      }
    }
  });

  it("refuses a revoked key at once, and revokes it once", async () => {
    const { id, key } = await create();
    expect(await use(key)).toBe(200);
    const revoked = await post(keys(`/${id}/revoke`, organizationId.toUpperCase()), {}, "grace");
    expect(revoked).toMatchObject({
      status: 200,
      body: { id, status: "revoked", revoked_at: new Date(clock.now()).toISOString() },
    });
    expect(revoked.body).not.toHaveProperty("key");
    expect(await use(key)).toBe("revoked_api_key");
    clock.advance(1000);
    expect(await post(keys(`/${id}/revoke`))).toEqual({ ...revoked, headers: expect.anything() });
    expect(await audited("api_key.revoked", id)).toMatchObject([
      { actor: "grace", created_at: revoked.body.revoked_at },
    ]);
  });

  it("rotates a key: the new one is like it, the old one stops at once", async () => {
    const old = await create({
      name: "Nightly",
      scopes: ["account:read"],
      rate_limit_per_minute: 77,
      expires_at: "2027-01-01",
    });
    expect(await use(old.key)).toBe(200);
    const rotated = await post(keys(`/${old.id}/rotate`), {}, "grace");
    expect(rotated.status).toBe(201);
    expect(Object.keys(rotated.body)).toEqual(Object.keys(old));
    expect(rotated.body).toEqual({
      ...old,
      id: rotated.body.id,
      key: rotated.body.key,
      key_prefix: rotated.body.key_prefix,
      rotated_from: old.id,
    });
    expect(rotated.body.id).not.toBe(old.id);
    expect(rotated.body.key).not.toBe(old.key);
    expect(await use(old.key)).toBe("revoked_api_key");
    expect(await use(String(rotated.body.key))).toBe(200);
    expect(await audited("api_key.rotated", old.id)).toMatchObject([
      { actor: "grace", details: { new_key_id: rotated.body.id, overlap_minutes: 0 } },
    ]);
  });

  it("lets the old key work until the overlap ends, and no longer", async () => {
    const old = await create();
    const rotated = await post(keys(`/${old.id}/rotate`), { overlap_minutes: 30 });
    clock.advance(30 * MINUTE - 1);
    expect(await use(old.key)).toBe(200);
    expect(await use(String(rotated.body.key))).toBe(200);
    const { body: list } = await app.callPrivate(keys());
    expect(list.data).toContainEqual(expect.objectContaining({ id: old.id, status: "active" }));
    clock.advance(1);
    expect(await use(old.key)).toBe("revoked_api_key");
    expect(await use(String(rotated.body.key))).toBe(200);
  });

  it("stops a key in its overlap when it is revoked", async () => {
    const old = await create();
    await post(keys(`/${old.id}/rotate`), { overlap_minutes: 43_200 });
    expect(await use(old.key)).toBe(200);
    expect((await post(keys(`/${old.id}/revoke`))).body).toMatchObject({
      status: "revoked",
      revoked_at: new Date(clock.now()).toISOString(),
    });
    expect(await use(old.key)).toBe("revoked_api_key");
  });

  it("rotates no key that is revoked, expired or rotated already", async () => {
    const revoked = await create();
    await post(keys(`/${revoked.id}/revoke`));
    const expired = await create({ expires_at: "2020-01-01" });
    const rotated = await create();
    await post(keys(`/${rotated.id}/rotate`), { overlap_minutes: 5 });
    for (const { id } of [revoked, expired, rotated])
      expect(await post(keys(`/${id}/rotate`))).toMatchObject({ status: 409, body: { error: "conflict" } });
  });

  it("makes one successor when a key is rotated by many at once", async () => {
    const { id } = await create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(keys(`/${id}/rotate`), { overlap_minutes: 1 })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });

  it.each([[-1], [43_201], [1.5], ["5"], [null]])("refuses an overlap of %j minutes", async (overlap) => {
    const { id, key } = await create();
    expect(await post(keys(`/${id}/rotate`), { overlap_minutes: overlap })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
    expect(await use(key)).toBe(200);
  });

  it("reaches no key of another organization", async () => {
    const other = await app.newOrganization();
    for (const verb of ["revoke", "rotate"]) {
      expect(await post(keys(`/${other.keyId}/${verb}`))).toMatchObject({
        status: 404,
        body: { error: "not_found" },
      });
      expect(await post(keys(`/${other.keyId}/${verb}`, UNKNOWN))).toMatchObject({
        status: 404,
        body: { error: "organization_not_found" },
      });
    }
    expect(await use(other.key)).toBe(200);
    expect(await post(keys("", UNKNOWN), { name: "x" })).toMatchObject({
      status: 404,
      body: { error: "organization_not_found" },
    });
  });
});
