import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";

describe("members", () => {
  const clock = manualClock();
  let app: TestService;
  let organizationId: string;
  beforeAll(async () => {
    app = await startTestService({ clock });
  });
  beforeEach(async () => {
    ({ organizationId } = await app.newOrganization());
  });
  afterAll(() => app.close());

  const members = (path = "", id = organizationId) => `/private/v1/organizations/${id}/members${path}`;
  const headers = { "x-outreach-actor": "ada" };
  const add = async (email: string, role = "member", name?: string) => {
    clock.advance(1);
    return app.callPrivate(members(), { json: { email_address: email, role, name }, headers });
  };
  const patch = (id: unknown, json: unknown, organization = organizationId) =>
    app.callPrivate(members(`/${String(id)}`, organization), { method: "PATCH", json, headers });
  const remove = (id: unknown, organization = organizationId) =>
    app.callPrivate(members(`/${String(id)}`, organization), { method: "DELETE", headers });
  const audit = async (action: string) =>
    (await app.callPrivate(`/private/v1/organizations/${organizationId}/audit?action=${action}`)).body.data;

  it("adds, lists, changes and removes", async () => {
    const owner = await add(" Owner@Example.COM ", "owner", "Olive");
    expect(owner).toMatchObject({
      status: 201,
      body: {
        email_address: "owner@example.com",
        name: "Olive",
        role: "owner",
        created_at: new Date(clock.now()).toISOString(),
      },
    });
    const member = await add("m@example.com");
    expect(member.body.name).toBeNull();
    expect((await app.callPrivate(members())).body).toEqual({
      data: [member.body, owner.body],
      limit: 50,
      offset: 0,
    });
    expect(await patch(member.body.id, { role: "admin", name: "Max" })).toMatchObject({
      status: 200,
      body: { role: "admin", name: "Max", email_address: "m@example.com" },
    });
    expect((await patch(member.body.id, { name: null })).body).toMatchObject({ role: "admin", name: null });
    expect(await remove(member.body.id)).toMatchObject({
      status: 200,
      body: { id: member.body.id, deleted: true },
    });
    expect((await app.callPrivate(members())).body.data).toEqual([owner.body]);
    expect(await audit("member.added")).toMatchObject([{ actor: "ada" }, { actor: "ada" }]);
    expect(await audit("member.updated")).toHaveLength(2);
    expect(await audit("member.removed")).toMatchObject([
      { subject_id: member.body.id, details: { email_address: "m@example.com", role: "admin" } },
    ]);
  });

  it("takes an address once in an organization, and again in another", async () => {
    await add("same@example.com");
    expect(await add("SAME@example.com")).toMatchObject({ status: 409, body: { error: "conflict" } });
    ({ organizationId } = await app.newOrganization());
    expect((await add("same@example.com")).status).toBe(201);
  });

  it("keeps the last owner", async () => {
    const { body: owner } = await add("one@example.com", "owner");
    await add("two@example.com", "admin");
    for (const answer of [
      await remove(owner.id),
      await patch(owner.id, { role: "admin" }),
      await patch(owner.id, { role: "member", name: "x" }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { error: "conflict" } });
    expect((await patch(owner.id, { name: "Still" })).body).toMatchObject({ name: "Still", role: "owner" });
    const { body: second } = await add("three@example.com", "owner");
    expect((await remove(owner.id)).status).toBe(200);
    expect((await remove(second.id)).status).toBe(409);
  });

  it("keeps one owner when all of them are removed or demoted at once", async () => {
    const owners = await Promise.all(
      Array.from({ length: 6 }, (_, index) => add(`owner${index}@example.com`, "owner")),
    );
    const answers = await Promise.all(
      owners.map(({ body }, index) =>
        index % 2 === 0 ? remove(body.id) : patch(body.id, { role: "member" }),
      ),
    );
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
    const { body } = await app.callPrivate(members());
    expect((body.data as { role: string }[]).filter(({ role }) => role === "owner")).toHaveLength(1);
  });

  it.each([
    [{}, "invalid_request"],
    [{ email_address: "a@example.com" }, "invalid_request"],
    [{ email_address: "nobody", role: "owner" }, "invalid_request"],
    [{ email_address: "a@example.com", role: "boss" }, "invalid_request"],
    [{ email_address: "a@example.com", role: "owner", name: "" }, "invalid_request"],
    [{ email_address: "a@example.com", role: "owner", name: "x".repeat(121) }, "invalid_request"],
    [{ email_address: "a@example.com", role: "owner", id: UNKNOWN }, "unknown_field:id"],
  ])("refuses to add from %j", async (json, error) => {
    expect(await app.callPrivate(members(), { json })).toMatchObject({ status: 400, body: { error } });
  });

  it("refuses changes of nothing, of the address, and to what isn't there", async () => {
    const { body: member } = await add("a@example.com");
    const other = await app.newOrganization();
    expect(await patch(member.id, {})).toMatchObject({ body: { error: "nothing_to_update" } });
    expect(await patch(member.id, { email_address: "b@example.com" })).toMatchObject({
      status: 400,
      body: { error: "unknown_field:email_address" },
    });
    for (const answer of [
      await patch(UNKNOWN, { name: "x" }),
      await remove(UNKNOWN),
      await patch(member.id, { name: "x" }, other.organizationId),
      await remove(member.id, other.organizationId),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    for (const answer of [
      await patch(member.id, { name: "x" }, UNKNOWN),
      await remove(member.id, UNKNOWN),
      await app.callPrivate(members("", UNKNOWN), {
        json: { email_address: "a@example.com", role: "owner" },
      }),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: "organization_not_found" } });
  });
});
