import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { findCalledNumber, findNumber, pickCallerId, takeCallerId } from "./index.ts";

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";

describe("an organization's numbers", () => {
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

  const numbers = (path = "", id = organizationId) => `/private/v1/organizations/${id}/numbers${path}`;
  const headers = { "x-outreach-actor": "ada" };
  const add = (json: unknown, id = organizationId) => {
    clock.advance(1);
    return app.callPrivate(numbers("", id), { json, headers });
  };
  const remove = (number: string) =>
    app.callPrivate(numbers(`/${encodeURIComponent(number)}`), { method: "DELETE", headers });

  it("are added in any format, listed newest first, and removed", async () => {
    const added = await add({ phone_number: "(415) 555-0100" });
    const record = {
      phone_number: "+14155550100",
      carrier: "simulated",
      agent_id: null,
      last_used_at: null,
      created_at: new Date(clock.now()).toISOString(),
    };
    expect(added).toMatchObject({ status: 201, body: record });
    expect(await add({ phone_number: "4155550100" })).toMatchObject({ status: 200, body: record });
    expect(await add({ phone_number: "4155550101", carrier: "sip" })).toMatchObject({ status: 201 });
    expect((await app.callPrivate(numbers())).body).toMatchObject({
      data: [{ phone_number: "+14155550101", carrier: "sip" }, record],
      limit: 50,
      offset: 0,
    });
    expect((await app.callPrivate(numbers("?phone_number=415-555-0100"))).body.data).toEqual([record]);
    expect((await app.callPrivate(numbers("?phone_number=415-555-0199"))).body.data).toEqual([]);
    expect(await remove("415 555 0100")).toMatchObject({
      status: 200,
      body: { id: "+14155550100", phone_number: "+14155550100", deleted: true },
    });
    expect(await remove("415 555 0100")).toMatchObject({ status: 404, body: { error: "not_found" } });
    const audit = await app.callPrivate(
      `/private/v1/organizations/${organizationId}/audit?subject_type=phone_number`,
    );
    expect(audit.body.data).toMatchObject([
      { action: "phone_number.removed", actor: "ada", subject_id: "+14155550100" },
      { action: "phone_number.added" },
      { action: "phone_number.added", details: { carrier: "simulated" } },
    ]);
  });

  it("are refused when they are none, or have another carrier, or belong to a sandbox", async () => {
    for (const phone_number of ["12", 4155550100, null, undefined, "4155550100x1"]) {
      expect(await add({ phone_number, carrier: "sip" })).toMatchObject({
        status: 400,
        body: { error: "invalid_phone_number" },
      });
    }
    expect(await add({ phone_number: "4155550100", carrier: "pigeon" })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
    await add({ phone_number: "4155550100" });
    expect(await add({ phone_number: "4155550100", carrier: "sip" })).toMatchObject({
      status: 409,
      body: { error: "conflict" },
    });
    const sandbox = await app.newOrganization({ sandbox: true });
    expect(await add({ phone_number: "4155550100" }, sandbox.organizationId)).toMatchObject({
      status: 409,
      body: { error: "conflict", message: expect.stringContaining("sandbox") },
    });
    expect(await add({ phone_number: "4155550100" }, UNKNOWN)).toMatchObject({
      status: 404,
      body: { error: "organization_not_found" },
    });
  });

  it("that several organizations have are called where the carrier has them, and then where they have been longest", async () => {
    const phoneNumber = "+12125550147";
    const owners: Record<string, string> = {};
    for (const carrier of ["simulated", "sip", "telnyx"]) {
      const { organizationId: id, key } = await app.newOrganization();
      await add({ phone_number: phoneNumber, carrier }, id);
      const json = { name: "Ada", call_template: { system_prompt: "Be kind." } };
      const agent = await app.call("/v1/agents", { key, json });
      const path = `/v1/agents/${agent.body.id}/phone-number`;
      expect((await app.call(path, { key, json: { phone_number: phoneNumber } })).status).toBe(200);
      owners[carrier] = id;
    }
    const called = async (carrier: string, of: string | null = null) =>
      (await findCalledNumber(app.database, { organizationId: of, phoneNumber, carrier }))?.organization_id;
    for (const carrier of ["sip", "telnyx"]) expect(await called(carrier)).toBe(owners[carrier]);
    expect(await called("twilio")).toBe(owners.simulated);
    expect(await called("telnyx", owners.sip)).toBe(owners.sip);
    expect(await called("telnyx", organizationId)).toBeUndefined();
  });

  describe("as caller ids", () => {
    const pick = (toNumber: string) =>
      app.database.transaction(async (transaction) => {
        clock.advance(1_000);
        return (await pickCallerId({ clock }, transaction, { organizationId, toNumber }))?.phone_number;
      });

    it("are those of the destination's area code first, and else take turns", async () => {
      expect(await pick("+14155550100")).toBeUndefined();
      for (const phone_number of ["2125550101", "4155550101", "4155550102"]) await add({ phone_number });
      expect(await pick("+14155550100")).toBe("+14155550101");
      expect(await pick("+14155550100")).toBe("+14155550102");
      expect(await pick("+14155550100")).toBe("+14155550101");
      expect(await pick("+13035550100")).toBe("+12125550101");
      expect(await pick("+13035550100")).toBe("+14155550102");
      expect(await pick("+442079460000")).toBe("+14155550101");
      // It isn't a North American number, though it begins like one.
      expect(await pick("+1415555")).toBe("+12125550101");
    });

    it("call the number they are only where there is no other", async () => {
      await add({ phone_number: "4155550101" });
      expect(await pick("+14155550101")).toBe("+14155550101");
      await add({ phone_number: "2125550101" });
      expect(await pick("+14155550101")).toBe("+12125550101");
    });

    it("that a request names are taken when they are the organization's", async () => {
      await add({ phone_number: "4155550101" });
      const named = (phoneNumber: string) =>
        app.database.transaction((transaction) =>
          takeCallerId({ clock }, transaction, { organizationId, phoneNumber }),
        );
      expect(await named("+14155550199")).toBeNull();
      expect(await named("+14155550101")).toMatchObject({ carrier: "simulated" });
      const last_used_at = new Date(clock.now()).toISOString();
      const found = { organizationId, phoneNumber: "+14155550101" };
      expect(await findNumber(app.database, found)).toMatchObject({ last_used_at });
      expect(await findNumber(app.database, { ...found, organizationId: UNKNOWN })).toBeNull();
    });

    it("count as used only when the transaction commits", async () => {
      await add({ phone_number: "4155550101" });
      const broken = app.database.transaction(async (transaction) => {
        await pickCallerId({ clock }, transaction, { organizationId, toNumber: "+14155550100" });
        throw new Error("no call after all");
      });
      await expect(broken).rejects.toThrow("no call after all");
      const found = { organizationId, phoneNumber: "+14155550101" };
      expect(await findNumber(app.database, found)).toMatchObject({ last_used_at: null });
    });
  });
});
