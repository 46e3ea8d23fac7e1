import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { idsFrom } from "../../ids.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { bookAppointment } from "./index.ts";

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";
const AT = "2026-02-01T10:00:00.000Z";

interface Record_ {
  id: string;
  status: string;
  lead_id: string;
  appointment_datetime: string;
  updated_at: string;
  data: Record_[];
}

describe("appointments", () => {
  const clock = manualClock();
  let app: TestService;
  let key: string;
  let organizationId: string;
  let lead: string;
  let lastNumber = 4_155_550_100;
  beforeAll(async () => {
    app = await startTestService({ clock });
  });
  beforeEach(async () => {
    ({ key, organizationId } = await app.newOrganization());
    lead = await newLead();
  });
  afterAll(() => app.close());

  const newLead = async (phone_number = String(lastNumber++), by = key) =>
    String((await app.call("/v1/leads", { key: by, json: { phone_number } })).body.id);
  const book = (json: object) => {
    clock.advance(1);
    return app.call<Record_>("/v1/appointments", {
      key,
      json: { lead_id: lead, appointment_datetime: AT, ...json },
    });
  };
  const patch = (id: string, json: unknown) => {
    clock.advance(1);
    return app.call<Record_>(`/v1/appointments/${id}`, { key, method: "PATCH", json });
  };
  const cancel = (id: string, json?: unknown) => {
    clock.advance(1);
    return app.call<Record_>(`/v1/appointments/${id}/cancel`, {
      key,
      method: "POST",
      ...(json ? { json } : {}),
    });
  };
  const list = (query = "") => app.call<Record_>(`/v1/appointments${query}`, { key });
  const inApp = (path: string, json: unknown) =>
    app.callPrivate<Record_>(`/private/v1/organizations/${organizationId}/appointments${path}`, { json });
  const setStatus = (id: string, status: string) =>
    app.database.query({
      text: "UPDATE appointments SET status = $3 WHERE organization_id = $1 AND id = $2",
      values: [organizationId, id, status],
    });
  const events = async () =>
    app.database.query<{ type: string; data: unknown }>({
      text: `SELECT type, data FROM events WHERE organization_id = $1 AND type LIKE 'appointment.%'
             ORDER BY occurred_at, id`,
      values: [organizationId],
    });

  it("are booked, read and reported", async () => {
    const booked = await book({ notes: "Bring both." });
    expect(booked).toMatchObject({ status: 201 });
    expect(booked.body).toEqual({
      id: expect.any(String),
      status: "scheduled",
      lead_id: lead,
      campaign_id: null,
      call_id: null,
      appointment_datetime: AT,
      duration_minutes: 30,
      timezone: "America/Los_Angeles",
      source: "public_api",
      notes: "Bring both.",
      cancel_reason: null,
      cancelled_at: null,
      created_at: new Date(clock.now()).toISOString(),
      updated_at: new Date(clock.now()).toISOString(),
    });
    const { id } = booked.body;
    expect(await app.call(`/v1/appointments/${id}`, { key })).toMatchObject({
      status: 200,
      body: booked.body,
    });
    expect(await events()).toEqual([
      {
        type: "appointment.booked",
        data: { appointment_id: id, lead_id: lead, appointment_datetime: AT, source: "public_api" },
      },
    ]);
  });

  it("are kept in UTC, at the instant that was named", async () => {
    const { body } = await book({ appointment_datetime: "2026-02-01T10:00:00-05:00" });
    expect(body.appointment_datetime).toBe("2026-02-01T15:00:00.000Z");
  });

  it.each([
    ["4155550199", "America/Los_Angeles"],
    ["2125550199", "America/New_York"],
    // Two zones, no zone, and none of this continent.
    ["8505550199", "America/Denver"],
    ["8005550199", "America/Denver"],
    ["+4930123456", "Europe/Berlin"],
  ])("with %s are in %s, unless another is named", async (phone_number, timezone) => {
    await app.callPrivate(`/private/v1/organizations/${organizationId}`, {
      method: "PATCH",
      json: { timezone: "America/Denver" },
    });
    const lead_id = await newLead(phone_number);
    expect((await book({ lead_id })).body).toMatchObject({ timezone });
    const other = { lead_id, appointment_datetime: "2026-02-02", timezone: "europe/paris" };
    expect((await book(other)).body).toMatchObject({ timezone: "Europe/Paris" });
  });

  it.each([
    [{ duration_minutes: 5 }, 201],
    [{ duration_minutes: 480 }, 201],
    [{ notes: null }, 201],
    [{ notes: "𝄞".repeat(2_000) }, 201],
    [{ appointment_datetime: "2020-02-01T10:00:00Z" }, 201],
    [{ duration_minutes: 4 }, "invalid_request"],
    [{ duration_minutes: 481 }, "invalid_request"],
    [{ duration_minutes: 30.5 }, "invalid_request"],
    [{ duration_minutes: "30" }, "invalid_request"],
    [{ notes: "𝄞".repeat(2_001) }, "invalid_request"],
    [{ notes: "\0" }, "invalid_request"],
    [{ timezone: "Mars/Olympus" }, "invalid_request"],
    [{ timezone: "+05:00" }, "invalid_request"],
    [{ timezone: null }, "invalid_request"],
    [{ appointment_datetime: "tomorrow" }, "invalid_request"],
    [{ appointment_datetime: 1_769_940_000 }, "invalid_request"],
    [{ appointment_datetime: null }, "invalid_request"],
    [{ lead_id: "x" }, "invalid_request"],
    [{ lead_id: null }, "invalid_request"],
    [{ campaign_id: UNKNOWN }, "unknown_field:campaign_id"],
    [{ status: "completed" }, "unknown_field:status"],
    [{ source: "app" }, "unknown_field:source"],
  ])("with %j: %s", async (json, expected) => {
    expect(await book(json)).toMatchObject(
      typeof expected === "number" ? { status: expected } : { status: 400, body: { error: expected } },
    );
    expect((await list()).body.data).toHaveLength(typeof expected === "number" ? 1 : 0);
  });

  it("need a lead of the organization, and a time", async () => {
    const other = await app.newOrganization();
    for (const lead_id of [UNKNOWN, await newLead("4155550100", other.key)]) {
      expect(await book({ lead_id })).toMatchObject({ status: 404, body: { error: "lead_not_found" } });
    }
    const send = (json: object) => app.call("/v1/appointments", { key, json });
    expect(await send({ lead_id: lead })).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await send({ appointment_datetime: AT })).toMatchObject({ body: { error: "invalid_request" } });
    expect(await app.call("/v1/appointments", { key, method: "POST" })).toMatchObject({
      body: { error: "invalid_json" },
    });
  });

  it("are listed newest first, by status and by lead", async () => {
    const first = (await book({})).body.id;
    const second = (await book({ appointment_datetime: "2026-02-02T10:00:00Z" })).body.id;
    const other = await newLead();
    const third = (await book({ lead_id: other })).body.id;
    await cancel(second);
    const ids = async (query: string) => (await list(query)).body.data.map(({ id }) => id);
    expect(await ids("")).toEqual([third, second, first]);
    expect(await ids("?limit=1&offset=1")).toEqual([second]);
    expect(await ids("?status=scheduled")).toEqual([third, first]);
    expect(await ids(`?lead_id=${lead}`)).toEqual([second, first]);
    expect(await ids(`?lead_id=${lead}&status=cancelled`)).toEqual([second]);
    expect(await ids(`?lead_id=${other}&status=no_show`)).toEqual([]);
    expect(await list(`?lead_id=${UNKNOWN}`)).toMatchObject({
      status: 404,
      body: { error: "lead_not_found" },
    });
    expect(await list("?lead_id=x")).toMatchObject({ status: 400 });
    expect(await list("?status=lost")).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  describe("of one lead", () => {
    it.each([
      ["2026-02-01T09:30:00Z", 30, 201],
      ["2026-02-01T09:30:00Z", 31, 409],
      ["2026-02-01T10:30:00Z", 30, 201],
      ["2026-02-01T10:29:59.999Z", 30, 409],
      ["2026-02-01T10:10:00Z", 5, 409],
      ["2026-02-01T09:00:00Z", 480, 409],
    ])(
      "don't overlap: %s for %i minutes beside 10:00 to 10:30 answers %i",
      async (appointment_datetime, duration_minutes, status) => {
        await book({});
        expect(await book({ appointment_datetime, duration_minutes })).toMatchObject(
          status === 409 ? { status, body: { error: "conflict" } } : { status },
        );
        expect(await book({ appointment_datetime, lead_id: await newLead() })).toMatchObject({ status: 201 });
      },
    );

    it("may overlap one that was cancelled", async () => {
      const { id } = (await book({})).body;
      await cancel(id);
      expect(await book({})).toMatchObject({ status: 201 });
    });

    it("of many at once for the same time, one is booked, and reported once", async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          book({ appointment_datetime: `2026-02-01T10:0${index}:00Z`, duration_minutes: 60 }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
      expect(await events()).toHaveLength(1);
    });

    it("of two moved to the same time at once, one is", async () => {
      for (let day = 10; day < 18; day++) {
        const lead_id = await newLead();
        const one = (await book({ lead_id })).body.id;
        const other = (await book({ lead_id, appointment_datetime: "2026-02-02T10:00:00Z" })).body.id;
        const appointment_datetime = `2026-02-${day}T10:00:00Z`;
        const answers = await Promise.all([one, other].map((id) => patch(id, { appointment_datetime })));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      }
    });
  });

  describe("are changed", () => {
    it("in time, and that is reported with the fields sent", async () => {
      const { body } = await book({});
      const changed = await patch(body.id, {
        duration_minutes: 60,
        appointment_datetime: "2026-02-01T11:00:00+01:00",
        timezone: "UTC",
      });
      // The same instant, written in another way.
      expect(changed).toMatchObject({
        status: 200,
        body: {
          ...body,
          duration_minutes: 60,
          timezone: "UTC",
          updated_at: new Date(clock.now()).toISOString(),
        },
      });
      expect(await events()).toHaveLength(1);
      const moved = await patch(body.id, { notes: "later", appointment_datetime: "2026-02-01T10:15:00Z" });
      expect(moved.body).toMatchObject({
        appointment_datetime: "2026-02-01T10:15:00.000Z",
        duration_minutes: 60,
        notes: "later",
      });
      expect((await events())[1]).toEqual({
        type: "appointment.rescheduled",
        data: {
          appointment_id: body.id,
          previous_datetime: AT,
          appointment_datetime: "2026-02-01T10:15:00.000Z",
          changes: ["notes", "appointment_datetime"],
        },
      });
    });

    it("without an event when the time stays", async () => {
      const { id } = (await book({ notes: "x" })).body;
      expect((await patch(id, { notes: null })).body).toMatchObject({ notes: null });
      expect((await patch(id, { duration_minutes: 45 })).body).toMatchObject({ duration_minutes: 45 });
      expect(await events()).toHaveLength(1);
    });

    it("not onto another of the lead, by time nor by duration", async () => {
      const { id } = (await book({})).body;
      await book({ appointment_datetime: "2026-02-01T11:00:00Z" });
      const refusal = { status: 409, body: { error: "conflict" } };
      expect(await patch(id, { appointment_datetime: "2026-02-01T10:31:00Z" })).toMatchObject(refusal);
      expect(await patch(id, { duration_minutes: 61 })).toMatchObject(refusal);
      expect(await patch(id, { duration_minutes: 60 })).toMatchObject({ status: 200 });
    });

    it("with nothing, or what can't be, not at all", async () => {
      const { id } = (await book({})).body;
      expect(await patch(id, {})).toMatchObject({ status: 400, body: { error: "nothing_to_update" } });
      expect(await patch(id, { lead_id: lead })).toMatchObject({ body: { error: "unknown_field:lead_id" } });
      expect(await patch(id, { timezone: "Mars" })).toMatchObject({ body: { error: "invalid_request" } });
      expect(await patch(id, { appointment_datetime: null })).toMatchObject({
        body: { error: "invalid_request" },
      });
      expect(await patch(UNKNOWN, { notes: "x" })).toMatchObject({
        status: 404,
        body: { error: "not_found" },
      });
    });

    it.each(["cancelled", "completed", "no_show"])("only in their notes once they are %s", async (status) => {
      const { id } = (await book({})).body;
      await setStatus(id, status);
      expect(await patch(id, { appointment_datetime: "2026-02-05" })).toMatchObject({
        status: 409,
        body: { error: "conflict" },
      });
      expect(await patch(id, { notes: "Called back" })).toMatchObject({
        body: { notes: "Called back", status },
      });
    });
  });

  describe("are cancelled", () => {
    it("once, with a reason or none, and reported", async () => {
      const { id } = (await book({})).body;
      const cancelled = await cancel(id, { reason: "𝄞".repeat(501) });
      expect(cancelled).toMatchObject({
        status: 200,
        body: {
          id,
          status: "cancelled",
          cancel_reason: "𝄞".repeat(500),
          cancelled_at: new Date(clock.now()).toISOString(),
        },
      });
      expect(await cancel(id, { reason: "again" })).toMatchObject({ status: 200, body: cancelled.body });
      const second = (await book({})).body.id;
      expect((await cancel(second)).body).toMatchObject({ status: "cancelled", cancel_reason: null });
      const data = (await events()).filter(({ type }) => type === "appointment.cancelled");
      expect(data.map((event) => event.data)).toEqual([
        { appointment_id: id, reason: "𝄞".repeat(500), source: "public_api" },
        { appointment_id: second, reason: null, source: "public_api" },
      ]);
    });

    it("by many at once, and reported once", async () => {
      const { id } = (await book({})).body;
      const answers = await Promise.all(Array.from({ length: 6 }, () => cancel(id)));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      expect(await events()).toHaveLength(2);
    });

    it.each(["completed", "no_show"])("not when they are %s", async (status) => {
      const { id } = (await book({})).body;
      await setStatus(id, status);
      expect(await cancel(id)).toMatchObject({ status: 409, body: { error: "conflict" } });
    });

    it("not with a reason that is no text, nor with other fields", async () => {
      const { id } = (await book({})).body;
      expect(await cancel(id, { reason: 5 })).toMatchObject({
        status: 400,
        body: { error: "invalid_request" },
      });
      expect(await cancel(id, { why: "x" })).toMatchObject({
        status: 400,
        body: { error: "unknown_field:why" },
      });
      expect(await cancel(UNKNOWN)).toMatchObject({ status: 404, body: { error: "not_found" } });
    });
  });

  it("are booked, moved and cancelled in the app, without the API's mark", async () => {
    const campaign = await app.callPrivate(`/private/v1/organizations/${organizationId}/campaigns`, {
      json: { name: "C" },
    });
    const json = { lead_id: lead, appointment_datetime: AT, campaign_id: campaign.body.id };
    const booked = await inApp("", json);
    expect(booked).toMatchObject({ status: 201, body: { source: "app", campaign_id: campaign.body.id } });
    expect(await inApp("", { ...json, campaign_id: UNKNOWN })).toMatchObject({
      status: 404,
      body: { error: "campaign_not_found" },
    });
    const { id } = booked.body;
    expect(await inApp(`/${id}/reschedule`, { appointment_datetime: "2026-02-03T10:00:00Z" })).toMatchObject({
      status: 200,
      body: { appointment_datetime: "2026-02-03T10:00:00.000Z" },
    });
    expect(await inApp(`/${id}/reschedule`, {})).toMatchObject({ status: 400 });
    expect(await inApp(`/${id}/cancel`, { reason: "ill" })).toMatchObject({ body: { status: "cancelled" } });
    expect(await events()).toEqual([
      {
        type: "appointment.booked",
        data: { appointment_id: id, lead_id: lead, appointment_datetime: AT, source: "app" },
      },
      {
        type: "appointment.rescheduled",
        data: {
          appointment_id: id,
          previous_datetime: AT,
          appointment_datetime: "2026-02-03T10:00:00.000Z",
          changes: ["appointment_datetime"],
        },
      },
      { type: "appointment.cancelled", data: { appointment_id: id, reason: "ill" } },
    ]);
    const audit = await app.callPrivate(
      `/private/v1/organizations/${organizationId}/audit?subject_type=appointment`,
    );
    expect((audit.body.data as { action: string }[]).map(({ action }) => action)).toEqual([
      "appointment.cancelled",
      "appointment.updated",
      "appointment.booked",
    ]);
  });

  it("are booked by an agent in a call's transaction, also with a person who is no lead", async () => {
    const deps = { database: app.database, clock, newId: idsFrom(clock), deliveriesQueued() {} };
    const booking = {
      organizationId,
      leadId: null,
      phoneNumber: "+12125550199",
      at: AT,
      source: "ai_agent",
      callId: UNKNOWN,
    } as const;
    const undone = app.database.transaction(async (transaction) => {
      await bookAppointment(deps, booking, transaction);
      throw new Error("the call's transaction fails");
    });
    await expect(undone).rejects.toThrow("the call's transaction fails");
    expect(await events()).toEqual([]);
    const booked = await app.database.transaction((transaction) =>
      bookAppointment(deps, booking, transaction),
    );
    expect(booked).toMatchObject({
      lead_id: null,
      call_id: UNKNOWN,
      source: "ai_agent",
      timezone: "America/New_York",
    });
    expect(await bookAppointment(deps, { ...booking, leadId: lead })).toMatchObject({ lead_id: lead });
    await expect(bookAppointment(deps, { ...booking, leadId: lead })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  describe("that is over", () => {
    const finish = async (id: string, verb: string) => {
      clock.advance(1);
      return inApp(`/${id}/${verb}`, {});
    };

    it.each([
      ["complete", "completed", "no-show"],
      ["no-show", "no_show", "complete"],
    ])("is noted by %s, once and for good", async (verb, status, other) => {
      const { id } = (await book({})).body;
      const noted = await finish(id, verb);
      expect(noted).toMatchObject({ status: 200, body: { id, status } });
      expect((await finish(id, verb)).body).toEqual(noted.body);
      for (const refused of [await finish(id, other), await finish(id, "cancel")])
        expect(refused).toMatchObject({ status: 409, body: { error: "conflict" } });
      const audit = await app.callPrivate<Record_>(`/private/v1/organizations/${organizationId}/audit`);
      expect(
        audit.body.data.filter((entry) => JSON.stringify(entry).includes(`appointment.${status}`)),
      ).toHaveLength(1);
      // Its time is free again.
      expect((await book({})).status).toBe(201);
    });

    it("can't be one that was cancelled, or isn't there", async () => {
      const { id } = (await book({})).body;
      await cancel(id);
      for (const verb of ["complete", "no-show"]) {
        expect(await finish(id, verb)).toMatchObject({ status: 409, body: { error: "conflict" } });
        expect(await finish(UNKNOWN, verb)).toMatchObject({ status: 404, body: { error: "not_found" } });
      }
    });
  });

  describe("as a calendar file", () => {
    it("is downloaded with its names, and says when it was cancelled", async () => {
      await app.call(`/v1/leads/${lead}`, {
        key,
        method: "PATCH",
        json: { first_name: "Ada", last_name: "Löw" },
      });
      const { id } = (await book({ notes: "Bring, both; keys\nplease" })).body;
      const read = () => app.call<string>(`/v1/appointments/${id}.ics`, { key });
      const answer = await read();
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
      expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="appointment-${id}.ics"`);
      const lines = answer.body.split("\r\n");
      expect(lines).toContain("DTSTART:20260201T100000Z");
      expect(lines).toContain("DTEND:20260201T103000Z");
      expect(lines).toContain("DESCRIPTION:Bring\\, both\\; keys\\nplease");
      expect(answer.body).toMatch(/SUMMARY:Appointment: .+ and Ada Löw\r\n/);
      await cancel(id);
      expect((await read()).body).toMatch(/METHOD:CANCEL\r\n[\s\S]*STATUS:CANCELLED\r\n/);
      const inside = await app.callPrivate<string>(
        `/private/v1/organizations/${organizationId}/appointments/${id}.ics`,
      );
      expect(inside.body).toBe((await read()).body);
    });

    it("of no appointment, or another organization's, is not found", async () => {
      const { id } = (await book({})).body;
      const other = await app.newOrganization();
      for (const answer of [
        await app.call(`/v1/appointments/${UNKNOWN}.ics`, { key }),
        await app.call(`/v1/appointments/${id}.ics`, { key: other.key }),
      ])
        expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
      expect(await app.call("/v1/appointments/x.ics", { key })).toMatchObject({ status: 400 });
    });
  });
});
