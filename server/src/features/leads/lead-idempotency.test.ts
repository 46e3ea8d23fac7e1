import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { beginIdempotent } from "../../http/idempotency.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

describe("POST /leads with an Idempotency-Key", () => {
  const clock = manualClock();
  let app: TestService;
  let key: string;
  let keyId: string;
  let organizationId: string;
  const send = (idempotencyKey: string, json: object, path = "/v1/leads") =>
    app.call(path, { key, json, headers: { "idempotency-key": idempotencyKey } });
  const eventsOf = async (phone: string) => {
    const rows = await app.database.query<{ type: string }>({
      text: `SELECT type FROM events JOIN leads USING (organization_id)
             WHERE organization_id = $1 AND phone_number = $2 AND data->>'lead_id' = leads.id::text`,
      values: [organizationId, phone],
    });
    return rows.map(({ type }) => type);
  };
  beforeAll(async () => {
    app = await startTestService({ clock });
    ({ key, keyId, organizationId } = await app.newOrganization());
  });
  afterAll(() => app.close());

  it("makes one lead and one event of 20 requests at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send("at-once", { phone_number: "4155550100" })),
    );
    const first = answers.filter(
      ({ status, headers }) => status === 201 && !headers.has("idempotency-replayed"),
    );
    expect(first).toHaveLength(1);
    for (const { status, headers, body } of answers) {
      if (status === 409) {
        expect(body.error).toBe("idempotency_in_progress");
        expect(headers.get("retry-after")).toBe("1");
      } else expect([status, body.id]).toEqual([201, first[0]!.body.id]);
    }
    expect(await eventsOf("+14155550100")).toEqual(["lead.created"]);
    const later = await send("at-once", { phone_number: "4155550100" }, "/public/v1/leads/");
    expect(later.headers.get("idempotency-replayed")).toBe("true");
    expect([later.status, later.body]).toEqual([201, first[0]!.body]);
  });

  it("is taken over from a process that died, after 60 s and not before", async () => {
    const json = { phone_number: "4155550101" };
    const scope = { organizationId, keyId, method: "POST", path: "/leads", key: "abandoned" };
    const { kind } = await beginIdempotent({ database: app.database, clock }, scope, json);
    expect(kind).toBe("claimed");
    const early = await send("abandoned", json);
    expect(early).toMatchObject({ status: 409, body: { error: "idempotency_in_progress" } });
    expect(early.headers.get("retry-after")).toBe("1");
    clock.advance(59_999);
    expect((await send("abandoned", json)).status).toBe(409);
    expect(await send("abandoned", { phone_number: "4155550102" })).toMatchObject({
      status: 422,
      body: { error: "idempotency_key_reused" },
    });
    clock.advance(1);
    const after = await send("abandoned", json);
    expect(after.status).toBe(201);
    expect(after.headers.has("idempotency-replayed")).toBe(false);
    expect(await eventsOf("+14155550101")).toEqual(["lead.created"]);
  });

  it("is refused to the one that was taken over, which then writes nothing", async () => {
    const json = { phone_number: "4155550103", first_name: "slow" };
    const scope = { organizationId, keyId, method: "POST", path: "/leads", key: "slow" };
    const slow = await beginIdempotent({ database: app.database, clock }, scope, json);
    clock.advance(60_000);
    expect((await send("slow", json)).status).toBe(201);
    if (slow.kind !== "claimed") throw new Error("not claimed");
    await expect(slow.claim.remember(app.database, 201, {})).rejects.toMatchObject({
      code: "idempotency_in_progress",
    });
  });

  it("is forgotten after 24 hours", async () => {
    const json = { phone_number: "4155550104" };
    expect((await send("day", json)).status).toBe(201);
    clock.advance(24 * 3_600_000 - 1);
    expect((await send("day", json)).headers.get("idempotency-replayed")).toBe("true");
    clock.advance(1);
    const again = await send("day", json);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, null]);
  });

  it.each([["é"], ["a".repeat(256)]])("refuses the key %j", async (idempotencyKey) => {
    // Header values are bytes: é travels as one byte that isn't printable ASCII.
    const answer = await send(idempotencyKey, { phone_number: "4155550105" });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_idempotency_key" } });
    expect(await eventsOf("+14155550105")).toEqual([]);
  });

  it("counts per path and key: the same one elsewhere is another", async () => {
    const other = await app.newOrganization();
    const json = { phone_number: "4155550106" };
    const mine = await send("shared", json);
    const theirs = await app.call("/v1/leads", {
      key: other.key,
      json,
      headers: { "idempotency-key": "shared" },
    });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });
});
