import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

/**
 * The table of the simulated carrier, from the request to the last event: real audio over RTP on loopback, real voices, real
 * time. Several are called at the same time, each in an organization of its own. On a machine that is short of time a person
 * may cut in on the agent: what is compared is what must be so all the same.
 */

interface Call {
  id: string;
  status: string;
  ended_at: string | null;
  [field: string]: unknown;
}

interface Transcript {
  status: string;
  turns: { role: string; source: string; text: string; start_ms: number; end_ms: number }[];
  text: string;
  summary: string;
}

const FROM = "+14155550199";
const BALANCE = 100_000;
/** Other tests run beside this one. */
const AT_ONCE = 4;
const CALLS_END_WITHIN_MS = 90_000;
/** Loopback and a timer: the call may have ended a moment before its record says so. */
const LOOK_EVERY_MS = 100;

let app: TestService;
const results = new Map<string, Awaited<ReturnType<typeof callNumber>>>();

const planned: Record<
  string,
  { suffix: string; fields?: Record<string, unknown>; hangUpAfterTurns?: number }
> = {
  "0100": { suffix: "0100" },
  "0101": { suffix: "0101" },
  "0102": { suffix: "0102" },
  "0103": { suffix: "0103" },
  "0104": { suffix: "0104" },
  "0104 with a message": {
    suffix: "0104",
    fields: {
      voicemail_message: "Please call {{company}} back.",
      template_context: { company: "the example company" },
      recording_enabled: true,
    },
  },
  "0105": { suffix: "0105" },
  "0106": { suffix: "0106" },
  "0107": { suffix: "0107" },
  "0108": { suffix: "0108" },
  "0109": { suffix: "0109" },
  "0110": { suffix: "0110", hangUpAfterTurns: 3 },
  "0111": { suffix: "0111" },
  recorded: { suffix: "0100", fields: { recording_enabled: true } },
};

beforeAll(async () => {
  app = await startTestService();
  const waiting = Object.entries(planned);
  const callOneAfterTheOther = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, { suffix, fields, hangUpAfterTurns }] = next;
      results.set(name, await callNumber(suffix, fields, hangUpAfterTurns));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, callOneAfterTheOther));
}, 300_000);
afterAll(() => app.close());

async function callNumber(suffix: string, fields: Record<string, unknown> = {}, hangUpAfterTurns?: number) {
  const { organizationId, key } = await app.newOrganization();
  const admin = async (path: string, json?: unknown) =>
    (
      await app.callPrivate<{ data: Record<string, unknown>[]; [field: string]: unknown }>(
        `/private/v1/organizations/${organizationId}${path}`,
        json === undefined ? {} : { json },
      )
    ).body;
  await admin("/wallet/credits", { tokens: BALANCE });
  await admin("/numbers", { phone_number: FROM });
  const to = `+1415555${suffix}`;
  const lead = await app.call("/v1/leads", {
    key,
    json: { phone_number: to, first_name: "Grace", last_name: "Hopper" },
  });
  const started = await app.call<Call>("/v1/calls", {
    key,
    json: {
      medium: "phone",
      to_number: to,
      system_prompt: "You are Ada of the example company.",
      greeting: "Hello, this is Ada. Is this a good moment?",
      ...fields,
    },
  });
  const { id } = started.body;
  const transcriptOf = async () => (await app.call<Transcript>(`/v1/calls/${id}/transcript`, { key })).body;
  let hungUp: Awaited<ReturnType<typeof app.call<Call>>> | undefined;
  if (hangUpAfterTurns !== undefined) {
    await until(async () => (await transcriptOf()).turns.length >= hangUpAfterTurns);
    hungUp = await app.call<Call>(`/v1/calls/${id}/hangup`, { key, method: "POST" });
  }
  let call: Call | undefined;
  if (started.status === 201) {
    await until(async () => {
      call = (await app.call<Call>(`/v1/calls/${id}`, { key })).body;
      return call.ended_at !== null;
    });
  }
  return {
    key,
    started,
    hungUp,
    call: call!,
    transcript: call ? await transcriptOf() : null,
    lead: (await app.call(`/v1/leads/${lead.body.id}`, { key })).body,
    dnc: (await admin("/dnc")).data,
    appointments: (await app.call<{ data: Record<string, unknown>[] }>("/v1/appointments", { key })).body
      .data,
    wallet: await admin("/wallet"),
    events: await app.database.query<{ type: string; data: Record<string, unknown> }>({
      text: "SELECT type, data FROM events WHERE organization_id = $1 AND type NOT LIKE 'lead.%' ORDER BY occurred_at, id",
      values: [organizationId],
    }),
  };
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (const began = performance.now(); !(await done()); ) {
    if (performance.now() - began > CALLS_END_WITHIN_MS) throw new Error("It didn't happen.");
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

const result = (name: string) => results.get(name)!;
const eventTypes = (name: string) => result(name).events.map(({ type }) => type);
const statuses = (name: string) =>
  (result(name).call.transitions as { status: string }[]).map(({ status }) => status);
const said = (name: string, role: string) =>
  result(name)
    .transcript!.turns.filter((turn) => turn.role === role)
    .map(({ text }) => text);

describe("a simulated number", () => {
  it.each([
    ["0101", "busy", "busy"],
    ["0102", "no-answer", "no_answer"],
    ["0103", "failed", "failed"],
    ["0105", "failed", "congestion"],
  ])("%s ends as %s without having been answered", (name, status, outcome) => {
    const { call, started, wallet } = result(name);
    expect(started).toMatchObject({ status: 201, body: { status: "initiating" } });
    expect(call).toMatchObject({
      status,
      call_outcome: outcome,
      carrier: "simulated",
      duration: null,
      cost_tokens: 0,
      answered_at: null,
      transcript_status: "unavailable",
    });
    expect(statuses(name).at(0)).toBe("initiating");
    expect(statuses(name)).not.toContain("in-progress");
    expect(eventTypes(name)).toEqual(["call.started"]);
    expect(wallet).toMatchObject({ balance: BALANCE, held: 0, entries: [{ kind: "credit" }] });
  });

  it("0102 rings for no longer than 5 s", () => {
    const { call } = result("0102");
    const rang = Date.parse(String(call.ended_at)) - Date.parse(String(call.created_at));
    expect(rang).toBeLessThan(8_000);
  });

  it.each([
    ["0106", "voice_carrier_blocked"],
    ["0111", "carrier_dial_failed"],
  ])("%s is refused with %s, and costs nothing", (name, error) => {
    expect(result(name).started).toMatchObject({ status: 502, body: { error } });
    expect(result(name).events).toEqual([]);
    expect(result(name).wallet).toMatchObject({ balance: BALANCE, held: 0 });
  });

  it("0100 is a person who answers, talks and hangs up", () => {
    const { call, transcript, events, wallet } = result("0100");
    expect(call).toMatchObject({
      status: "completed",
      call_outcome: "completed",
      answered_by: "human",
      transcript_status: "ready",
      to_number: "+14155550100",
      from_number: FROM,
    });
    expect(statuses("0100")).toEqual(["initiating", "initiated", "in-progress", "completed"]);
    expect(transcript!.status).toBe("ready");
    expect(said("0100", "agent")[0]).toMatch(/^Hello, this is Ada/);
    expect(said("0100", "user").length).toBeGreaterThanOrEqual(2);
    const cost = Math.ceil((Number(call.duration) * 90) / 60);
    expect(call).toMatchObject({ cost_tokens: cost, duration_seconds: call.duration });
    expect(wallet).toMatchObject({ balance: BALANCE - cost, held: 0 });
    expect(events).toMatchObject([
      { type: "call.started", data: { call_id: call.id, direction: "phone", lead_id: null } },
      {
        type: "call.transcript_ready",
        data: {
          call_id: call.id,
          call_sid: call.call_sid,
          campaign_id: null,
          lead_id: null,
          duration_seconds: call.duration,
          summary: transcript!.summary,
          has_transcript: true,
        },
      },
    ]);
  });

  it("0104 is an answering machine, hung up on", () => {
    expect(result("0104").call).toMatchObject({
      status: "voicemail",
      call_outcome: "voicemail",
      answered_by: "machine",
    });
    expect(Number(result("0104").call.duration)).toBeGreaterThan(0);
    expect(eventTypes("0104")).toEqual(["call.started", "call.transcript_ready"]);
  });

  it("0104 records the message of a template that has one", () => {
    const { call } = result("0104 with a message");
    expect(call).toMatchObject({ status: "voicemail", answered_by: "machine" });
    expect(said("0104 with a message", "agent").join(" ")).toContain("Please call the example company back.");
  });

  it("0107 asks never to be called again", () => {
    const { call, dnc, lead } = result("0107");
    expect(call).toMatchObject({
      status: "completed",
      call_outcome: "do_not_call",
      disposition: "do_not_call",
    });
    expect(dnc).toMatchObject([
      { phone_number: "+14155550107", source: "call", added_by: `call:${call.id}` },
    ]);
    expect(dnc[0]!.reason).toMatch(/never call me again/i);
    expect(lead.status).toBe("do_not_call");
    const { turns } = result("0107").transcript!;
    const asked = turns.find(({ text }) => /never call me again/i.test(text))!;
    expect(turns.at(-1)).toMatchObject({ role: "agent" });
    expect(turns.at(-1)!.end_ms - asked.end_ms).toBeLessThan(10_000);
    expect(eventTypes("0107")).toEqual(["call.started", "call.transcript_ready"]);
  });

  it("0108 agrees to an appointment tomorrow at 10:00 their time", () => {
    const { call, appointments, lead, events } = result("0108");
    expect(call).toMatchObject({ status: "completed", call_outcome: "appointment_set" });
    expect(appointments).toMatchObject([
      {
        status: "scheduled",
        lead_id: lead.id,
        call_id: call.id,
        timezone: "America/Los_Angeles",
        source: "ai_agent",
        duration_minutes: 30,
      },
    ]);
    const at = new Date(String(appointments[0]!.appointment_datetime));
    const wall = new Intl.DateTimeFormat("en-CA", {
      timeZone: "America/Los_Angeles",
      dateStyle: "short",
      timeStyle: "short",
      hourCycle: "h23",
    });
    const tomorrow = new Date(Date.parse(String(call.answered_at)) + 86_400_000);
    expect(wall.format(at)).toBe(`${wall.format(tomorrow).split(",")[0]}, 10:00`);
    expect(events.filter(({ type }) => type === "appointment.booked")).toMatchObject([
      {
        data: {
          appointment_id: appointments[0]!.id,
          lead_id: lead.id,
          appointment_datetime: appointments[0]!.appointment_datetime,
          source: "ai_agent",
        },
      },
    ]);
  });

  it("0109 asks for a human, and is connected with one", () => {
    const { call, events } = result("0109");
    expect(call).toMatchObject({
      status: "completed",
      call_outcome: "transferred",
      transfers: [{ outcome: "success", mode: "warm", to_number: "+14155550100" }],
    });
    expect(events.filter(({ type }) => type === "call.transferred")).toEqual([
      {
        type: "call.transferred",
        data: { transfer_id: (call.transfers as { id: string }[])[0]!.id, mode: "warm", outcome: "success" },
      },
    ]);
  });

  it("0110 stays until the other side hangs up", () => {
    const { hungUp, call } = result("0110");
    expect(hungUp).toMatchObject({ status: 200, body: { id: call.id, status: "completed" } });
    expect(call).toMatchObject({ status: "completed", call_outcome: "completed" });
  });
});

it("keeps a recording of both sides, which a signed link plays", async () => {
  const { call, key, transcript } = result("recorded");
  expect(transcript!.turns.some(({ text }) => text.startsWith("This call is"))).toBe(true);
  expect(call.recording_url).toBe(`${app.config.public.url}/v1/calls/${call.id}/recording`);
  const answer = await app.call(`/v1/calls/${call.id}/recording`, { key });
  expect(answer.status).toBe(302);
  const link = new URL(answer.headers.get("location")!);
  const audio = await fetch(app.publicUrl + link.pathname + link.search);
  expect(audio.headers.get("content-type")).toBe("audio/wav");
  const bytes = Buffer.from(await audio.arrayBuffer());
  expect(bytes.length).toBe(call.recording_bytes);
  expect(bytes.subarray(0, 4).toString()).toBe("RIFF");
  // Two channels of a byte each, 8,000 times a second.
  const seconds = bytes.length / 16_000;
  expect(Math.abs(seconds - Number(call.duration))).toBeLessThan(2);
  expect(
    (await app.call(`/v1/calls/${result("0100").call.id}/recording`, { key: result("0100").key })).body,
  ).toMatchObject({
    error: "recording_not_available",
  });
});
