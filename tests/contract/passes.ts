// Longer than 300 lines, since it is a list: one place to see what is called.
import { examples } from "../../server/src/api-documents/examples.ts";
import type { RouteDefinition } from "../../server/src/http/route.ts";
import type { FakeVoicePlane } from "../../server/src/testing/fake-voice-plane.ts";
import { OPERATOR_TOKEN, type TestService } from "../../server/src/testing/harness.ts";
import { telnyxCall, telnyxText, twilioCall, twilioText } from "./signed-texts.ts";

/** Calls of every endpoint, good and bad, as the traffic that the documents are compared with. */

interface Reply {
  status: number;
  body: Record<string, unknown>;
  location: string | null;
}

interface CallOptions {
  key?: string;
  json?: unknown;
  /** Sent as it is. */
  body?: string;
  headers?: Record<string, string>;
}

type Call = (method: string, path: string, options?: CallOptions) => Promise<Reply>;

/** Calls below an address, with a key where none is given. */
export function callsTo(baseUrl: string, defaultKey: string): Call {
  return async (method, path, { key = defaultKey, json, body, headers } = {}) => {
    const sent = json === undefined ? body : JSON.stringify(json);
    const response = await fetch(baseUrl + path, {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${key}`,
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      location: response.headers.get("location"),
    };
  };
}

const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";
type AnyRoute = Pick<
  RouteDefinition<never>,
  "method" | "path" | "access" | "body" | "unavailable" | "writes"
>;
export const titleOf = ({ method, path }: AnyRoute) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;

const nameOf = (schema: object) => (schema as { "x-name"?: string })["x-name"];

let lastNumber = 2_125_550_199;
const newNumber = () => `+1${++lastNumber}`;

/** A call that succeeds, by operation. An operation without one is called as it is when it is a plain GET. */
type Successes = Record<
  string,
  (call: Call, make: Record<string, () => Promise<string>>) => Promise<unknown>
>;

const publicSuccesses: Successes = {
  "GET /leads": async (call) => {
    await call("GET", "/leads?limit=1&offset=0&status=new&phone_number=2125550100");
    return call("GET", "/leads?limit=500");
  },
  "POST /leads": async (call) => {
    const lead = { phone_number: newNumber(), first_name: "Ada", consented_at: "2026-01-05T00:00:00Z" };
    const headers = { "idempotency-key": `lead ${lead.phone_number}` };
    for (let time = 0; time < 2; time++) await call("POST", "/leads", { json: lead, headers });
    await call("POST", "/leads", { json: { ...lead, notes: "else" }, headers });
    return call("POST", "/leads", {
      json: { ...lead, campaign_id: null, credit_score: 700, annual_income: 1.5 },
    });
  },
  "GET /leads/{id}": async (call, make) => call("GET", `/leads/${await make.leads!()}`),
  "PATCH /leads/{id}": async (call, make) => {
    const path = `/leads/${await make.leads!()}`;
    await call("PATCH", path, { json: {} });
    await call("PATCH", path, { json: { phone_number: newNumber() } });
    await call("PATCH", path, { json: { campaign_id: UNKNOWN_ID } });
    return call("PATCH", path, { json: { status: "contacted", notes: null } });
  },
  "POST /leads/inspect-csv": async (call) => {
    await call("POST", "/leads/inspect-csv", { json: {} });
    await call("POST", "/leads/inspect-csv", { json: { csv: '"' } });
    await call("POST", "/leads/inspect-csv", { json: { csv: `phone\n${"x".repeat(5_000_000)}` } });
    return call("POST", "/leads/inspect-csv", { json: { csv: "Phone,Size\n2125550100,3\n" } });
  },
  "POST /leads/bulk": async (call) => {
    const csv = `phone_number,first_name\n${newNumber()},Grace\nnone,Alan\n`;
    await call("POST", "/leads/bulk", { json: { csv, campaign_id: UNKNOWN_ID } });
    return call("POST", "/leads/bulk", { json: { csv, mapping: { phone_number: "phone_number" } } });
  },
  "GET /leads.csv": async (call) => {
    await call("GET", `/leads.csv?campaign_id=${UNKNOWN_ID}`);
    return call("GET", "/leads.csv");
  },
  "GET /campaigns": async (call) => call("GET", "/campaigns?status=draft&limit=2"),
  "POST /campaigns/{id}/start": async (call, make) => {
    await call("POST", `/campaigns/${await make.draft!()}/start`);
    return call("POST", `/campaigns/${await make.active!()}/start`);
  },
  "POST /campaigns/{id}/stop": async (call, make) => {
    await call("POST", `/campaigns/${await make.draft!()}/stop`);
    const path = `/campaigns/${await make.active!()}`;
    await call("POST", `${path}/stop`);
    // Without a balance.
    await call("POST", `${path}/start`);
    return call("POST", `${path}/stop`);
  },
  "POST /agents": async (call) => {
    for (const json of [
      { name: "A", call_template: { system_prompt: "x", mood: 1 } },
      { name: "A", call_template: { system_prompt: "x", voice: "nobody" } },
      { name: "A" },
      { name: "", call_template: { system_prompt: "x" } },
    ])
      await call("POST", "/agents", { json });
    return call("POST", "/agents", { json: examples.AgentCreate });
  },
  "PATCH /agents/{id}": async (call, make) => {
    await call("PATCH", `/agents/${await make.appAgent!()}`, { json: { name: "A" } });
    const path = `/agents/${await make.agents!()}`;
    await call("PATCH", path, { json: {} });
    return call("PATCH", path, { json: examples.AgentPatch });
  },
  "DELETE /agents/{id}": async (call, make) => {
    await call("DELETE", `/agents/${await make.appAgent!()}`);
    const path = `/agents/${await make.agents!()}`;
    await call("POST", `${path}/phone-number`, { json: { phone_number: await make.number!() } });
    await call("DELETE", path);
    await call("DELETE", `${path}/phone-number`);
    return call("DELETE", path);
  },
  "POST /agents/{id}/phone-number": async (call, make) => {
    const phone_number = await make.number!();
    const path = `/agents/${await make.agents!()}/phone-number`;
    await call("POST", path, { json: { phone_number: 1 } });
    await call("POST", path, { json: { phone_number: "12" } });
    await call("POST", path, { json: { phone_number: newNumber() } });
    await call("POST", path, { json: { phone_number } });
    await call("POST", `/agents/${await make.agents!()}/phone-number`, { json: { phone_number } });
    return call("POST", path, { json: { phone_number } });
  },
  "DELETE /agents/{id}/phone-number": async (call, make) => {
    await call("DELETE", `/agents/${await make.appAgent!()}/phone-number`);
    return call("DELETE", `/agents/${await make.agents!()}/phone-number`);
  },
  "GET /appointments": async (call, make) => {
    await call("GET", `/appointments?lead_id=${UNKNOWN_ID}`);
    return call("GET", `/appointments?status=scheduled&lead_id=${await make.leads!()}`);
  },
  "POST /appointments": async (call, make) => {
    const json = { lead_id: await make.leads!(), appointment_datetime: "2027-01-05T10:00:00Z" };
    await call("POST", "/appointments", { json: { ...json, lead_id: UNKNOWN_ID } });
    await call("POST", "/appointments", { json: { ...json, timezone: "Mars/Olympus" } });
    await call("POST", "/appointments", { json });
    await call("POST", "/appointments", { json });
    return call("POST", "/appointments", {
      json: { ...json, lead_id: await make.leads!(), notes: "Bring both." },
    });
  },
  "GET /appointments/{id}.ics": async (call, make) =>
    call("GET", `/appointments/${await make.appointments!()}.ics`),
  "PATCH /appointments/{id}": async (call, make) => {
    const path = `/appointments/${await make.appointments!()}`;
    await call("PATCH", path, { json: {} });
    await call("PATCH", path, { json: { appointment_datetime: "2027-01-06" } });
    await call("POST", `${path}/cancel`, { json: {} });
    await call("PATCH", path, { json: { duration_minutes: 60 } });
    return call("PATCH", path, { json: { notes: null } });
  },
  "POST /appointments/{id}/cancel": async (call, make) => {
    const path = `/appointments/${await make.appointments!()}/cancel`;
    await call("POST", path, { json: { reason: "No time." } });
    return call("POST", path);
  },
  "GET /voices/{id}/preview": async (call) => call("GET", "/voices/clara/preview"),
  "GET /calls": async (call, make) => {
    await call("GET", `/calls?lead_id=${UNKNOWN_ID}`);
    await call("GET", `/calls?campaign_id=${UNKNOWN_ID}`);
    await make.calls!();
    return call("GET", "/calls?medium=web&created_after=2020-01-01&limit=3");
  },
  "POST /calls": async (call, make) => {
    await make.number!();
    const phone = { medium: "phone", to_number: newNumber(), system_prompt: "x" };
    for (const json of [
      { ...phone, medium: "fax" },
      { ...phone, to_number: "1" },
      { ...phone, lead_id: UNKNOWN_ID },
      { ...phone, from_number: newNumber() },
      { ...phone, metadata: { a: {} } },
    ])
      await call("POST", "/calls", { json });
    await call("POST", "/calls", { json: phone });
    return call("POST", "/calls", { json: examples.CallCreate });
  },
  "GET /calls/{id}": async (call, make) => call("GET", `/calls/${await make.ended!()}`),
  "POST /calls/{id}/hangup": async (call, make) => {
    await call("POST", `/calls/${await make.calls!()}/hangup`);
    const path = `/calls/${await make.live!()}/hangup`;
    await call("POST", path);
    return call("POST", path);
  },
  "GET /calls/{id}/transcript": async (call, make) => call("GET", `/calls/${await make.ended!()}/transcript`),
  "GET /calls/{id}/recording": async (call, make) => {
    await call("GET", `/calls/${await make.calls!()}/recording`);
    return call("GET", `/calls/${await make.ended!()}/recording`);
  },
  "POST /calls/{id}/connect": async (call) => {
    const { body } = await call("POST", "/calls", { json: { medium: "browser", system_prompt: "x" } });
    const key = String((body.browser_session as Record<string, unknown>).access_token);
    const path = `/calls/${body.id}/connect`;
    await call("POST", path, { key: "wrong", json: examples.BrowserOffer });
    await call("POST", path, { key, json: { sdp: "nonsense", type: "offer" } });
    return call("POST", path, { key, json: examples.BrowserOffer });
  },
  "GET /recordings/{organization_id}/{call_id}.wav": async (call, make) => {
    const link = new URL(await make.link!());
    const path = link.pathname.replace("/v1", "");
    await call("GET", path);
    await call("GET", path + link.search, { headers: { range: "bytes=0-43" } });
    await call("GET", path + link.search, { headers: { range: "bytes=99999999-" } });
    return call("GET", path + link.search);
  },
  "GET /agents/{id}/calls": async (call, make) => call("GET", `/agents/${await make.agents!()}/calls`),
  "POST /agents/{id}/calls": async (call, make) =>
    call("POST", `/agents/${await make.agents!()}/calls`, { json: { medium: "browser" } }),
  "POST /callbacks/twilio/texts": async (call, make) => {
    const path = "/callbacks/twilio/texts";
    await call("POST", path, { headers: { "x-twilio-signature": "AAAA" } });
    return call("POST", path, twilioText(`${await make.publicUrl!()}/v1${path}`));
  },
  "POST /callbacks/twilio/calls/{call_id}": async (call, make) => {
    const path = "/callbacks/twilio/calls/unknown";
    await call("POST", path, { headers: { "x-twilio-signature": "AAAA" } });
    return call("POST", path, twilioCall(`${await make.publicUrl!()}/v1${path}`, "completed"));
  },
  "POST /callbacks/twilio/inbound": async (call, make) => {
    const path = "/callbacks/twilio/inbound";
    await call("POST", path);
    return call("POST", path, twilioCall(`${await make.publicUrl!()}/v1${path}`, "ringing"));
  },
  "POST /callbacks/telnyx/texts": async (call) =>
    call("POST", "/callbacks/telnyx/texts", telnyxText(Math.floor(Date.now() / 1000))),
  "POST /callbacks/telnyx/calls": async (call) => {
    await call("POST", "/callbacks/telnyx/calls");
    return call("POST", "/callbacks/telnyx/calls", telnyxCall(Math.floor(Date.now() / 1000)));
  },
  "POST /webhooks": async (call) => {
    for (const target_url of [undefined, "ftp://a.test", "nonsense"])
      await call("POST", "/webhooks", { json: { target_url, event_types: ["*"] } });
    await call("POST", "/webhooks", { json: { target_url: "http://127.0.0.1:9/", event_types: [] } });
    await call("POST", "/webhooks", {
      json: { target_url: "http://127.0.0.1:9/", event_types: ["no.such"] },
    });
    return call("POST", "/webhooks", {
      json: { target_url: "http://127.0.0.1:9/", event_types: ["call.ended"] },
    });
  },
  "PATCH /webhooks/{id}": async (call, make) => {
    const path = `/webhooks/${await make.webhooks!()}`;
    await call("PATCH", path, { json: {} });
    return call("PATCH", path, { json: { event_types: ["*"], enabled: false } });
  },
  "DELETE /webhooks/{id}": async (call, make) => call("DELETE", `/webhooks/${await make.webhooks!()}`),
};

const privateSuccesses: Successes = {
  "POST /trunks": async (call) => call("POST", "/trunks", { json: trunkOf("Shared") }),
  "DELETE /trunks/{trunk_id}": async (call, make) => call("DELETE", await make.trunks!()),
  "POST /trunks/{trunk_id}/test": async (call, make) => call("POST", `${await make.trunks!()}/test`),
  "POST /organizations": async (call) => call("POST", "/organizations", { json: { name: "Other" } }),
  "PATCH /organizations/{id}": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}`;
    await call("PATCH", path, { json: {} });
    return call("PATCH", path, { json: { concurrency_limit: 3 } });
  },
  "POST /organizations/{organization_id}/keys": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/keys`;
    await call("POST", path, { json: { name: "k", scopes: ["no:such"] } });
    return call("POST", path, { json: { name: "k", scopes: ["leads:read"] } });
  },
  "POST /organizations/{organization_id}/keys/{id}/revoke": async (call, make) =>
    call("POST", `${await make.keys!()}/revoke`),
  "POST /organizations/{organization_id}/keys/{id}/rotate": async (call, make) => {
    const path = `${await make.keys!()}/rotate`;
    await call("POST", path, { json: { overlap_minutes: 5 } });
    // A key that is replaced already.
    return call("POST", path);
  },
  "POST /organizations/{organization_id}/members": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/members`;
    const json = { email_address: "Owner@Example.com", name: "Owner", role: "owner" };
    await call("POST", path, { json });
    return call("POST", path, { json });
  },
  "PATCH /organizations/{organization_id}/members/{id}": async (call, make) => {
    const path = await make.members!();
    await call("PATCH", path, { json: {} });
    return call("PATCH", path, { json: { name: "Renamed" } });
  },
  "DELETE /organizations/{organization_id}/members/{id}": async (call, make) =>
    call("DELETE", await make.members!()),
  "POST /organizations/{organization_id}/wallet/credits": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/wallet/credits`;
    await call("POST", path, { json: { tokens: 0 } });
    await call("POST", path, { json: { tokens: -999_999_999 } });
    return call("POST", path, { json: { tokens: 10, note: "hello", idempotency_key: "a" } });
  },
  "POST /organizations/{organization_id}/dnc": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/dnc`;
    await call("POST", path, { json: { phone_number: "12" } });
    for (let time = 0; time < 2; time++) await call("POST", path, { json: { phone_number: "2125550100" } });
  },
  "GET /organizations/{organization_id}/dnc/check": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/dnc/check?phone_number=`;
    await call("GET", `${path}12`);
    return call("GET", `${path}2125550100`);
  },
  "GET /organizations/{organization_id}/compliance/check": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/compliance/check?phone_number=`;
    await call("GET", `${path}12`);
    await call("GET", `${path}8005550100`);
    return call("GET", `${path}2125550100&at=2027-01-05T17:00:00Z`);
  },
  "POST /organizations/{organization_id}/dnc/import": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/dnc/import`;
    await call("POST", path, { json: {} });
    await call("POST", path, { json: { csv: "name\nAda\n" } });
    await call("POST", path, { json: { csv: `phone_number\n${"2".repeat(5_000_000)}` } });
    return call("POST", path, { json: { csv: "phone_number,reason\n2125550102,asked\nnone,\n" } });
  },
  "POST /opt-outs/test": async (call) => {
    await call("POST", "/opt-outs/test", { json: { text: "hello" } });
    return call("POST", "/opt-outs/test", { json: { text: "Stop.", channel: "text", speaker: "user" } });
  },
  "POST /organizations/{organization_id}/texts": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/texts`;
    await call("POST", path, { json: { from_number: "12", to_number: "2125550100", body: "STOP" } });
    await call("POST", path, { json: { from_number: newNumber(), to_number: "12345", body: "hello" } });
    return call("POST", path, {
      json: { from_number: newNumber(), to_number: "2125550100", body: "Stop please" },
    });
  },
  "DELETE /organizations/{organization_id}/dnc/{phone_number}": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/dnc`;
    await call("POST", path, { json: { phone_number: "2125550101" } });
    await call("DELETE", `${path}/12`);
    return call("DELETE", `${path}/2125550101`);
  },
  "POST /organizations/{organization_id}/numbers": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/numbers`;
    await call("POST", path, { json: { phone_number: "12" } });
    const phone_number = newNumber();
    await call("POST", path, { json: { phone_number, carrier: "sip" } });
    await call("POST", path, { json: { phone_number, carrier: "simulated" } });
    await call("POST", path, { json: { phone_number } });
    return call("GET", `${path}?phone_number=${phone_number.slice(1)}`);
  },
  "DELETE /organizations/{organization_id}/numbers/{phone_number}": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/numbers`;
    const phone_number = newNumber();
    await call("POST", path, { json: { phone_number } });
    await call("DELETE", `${path}/12`);
    return call("DELETE", `${path}/${phone_number}`);
  },
  "POST /organizations/{organization_id}/appointments": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/appointments`;
    const json = { lead_id: await make.leads!(), appointment_datetime: "2027-01-05T10:00:00Z" };
    await call("POST", path, { json: { ...json, campaign_id: UNKNOWN_ID } });
    await call("POST", path, { json: { ...json, lead_id: UNKNOWN_ID } });
    await call("POST", path, { json });
    return call("POST", path, { json });
  },
  "POST /organizations/{organization_id}/appointments/{id}/reschedule": async (call, make) =>
    call("POST", `${await make.appointments!()}/reschedule`, {
      json: { appointment_datetime: "2027-01-06T10:00:00Z" },
    }),
  "POST /organizations/{organization_id}/appointments/{id}/cancel": async (call, make) => {
    const path = await make.appointments!();
    await call("POST", `${path}/cancel`, { json: { reason: "No time." } });
    await call("POST", `${path}/reschedule`, { json: { appointment_datetime: "2027-01-06T10:00:00Z" } });
    return call("POST", `${path}/cancel`);
  },
  "POST /organizations/{organization_id}/appointments/{id}/complete": async (call, make) => {
    const path = await make.appointments!();
    await call("POST", `${path}/complete`);
    await call("POST", `${path}/no-show`);
    return call("POST", `${path}/complete`);
  },
  "POST /organizations/{organization_id}/appointments/{id}/no-show": async (call, make) =>
    call("POST", `${await make.appointments!()}/no-show`),
  "GET /organizations/{organization_id}/appointments/{id}.ics": async (call, make) =>
    call("GET", `${await make.appointments!()}.ics`),
  "POST /organizations/{organization_id}/agents": async (call, make) => {
    const path = `/organizations/${await make.organizations!()}/agents`;
    await call("POST", path, { json: { name: "A", system_prompt: "" } });
    return call("POST", path, { json: { name: "A", system_prompt: "x" } });
  },
  "POST /organizations/{organization_id}/campaigns": async (call, make) =>
    call("POST", `/organizations/${await make.organizations!()}/campaigns`, { json: { name: "C" } }),
  "GET /organizations/{organization_id}/campaigns/{id}": async (call, make) =>
    call("GET", await make.campaigns!()),
  "PATCH /organizations/{organization_id}/campaigns/{id}": async (call, make) => {
    const path = await make.campaigns!();
    await call("PATCH", path, { json: {} });
    await call("PATCH", path, { json: { window: "17:00-09:00" } });
    await call("PATCH", path, { json: { assigned_ai_agent_id: UNKNOWN_ID } });
    const answer = await call("PATCH", path, {
      json: { window: "09:00-17:00", days: ["mon"], concurrency: null },
    });
    await call("POST", `${path}/cancel`);
    await call("PATCH", path, { json: { name: "late" } });
    return answer;
  },
  "POST /organizations/{organization_id}/campaigns/{id}/leads": async (call, make) => {
    const path = `${await make.campaigns!()}/leads`;
    await call("POST", path, { json: {} });
    await call("POST", path, { json: { lead_ids: [UNKNOWN_ID] } });
    await call("POST", path, { json: { lead_ids: [await make.leads!()] } });
    return call("POST", path, { json: { filter: { status: "nowhere" } } });
  },
  "POST /organizations/{organization_id}/campaigns/{id}/leads/import": async (call, make) => {
    const path = await make.campaigns!();
    await call("POST", `${path}/leads/import`, { json: {} });
    await call("POST", `${path}/leads/import`, { json: { csv: '"' } });
    const answer = await call("POST", `${path}/leads/import`, {
      json: { csv: `Phone\n${newNumber()}\n`, mapping: { phone_number: "Phone" } },
    });
    await call("POST", `${path}/cancel`);
    await call("POST", `${path}/leads/import`, { json: { csv: "phone_number\n" } });
    return answer;
  },
  "GET /organizations/{organization_id}/campaigns/{id}/progress": async (call, make) =>
    call("GET", `${await make.campaigns!()}/progress`),
  "GET /organizations/{organization_id}/campaigns/{id}/preview": async (call, make) => {
    const path = await make.campaigns!();
    await call("POST", `${path}/leads`, { json: { lead_ids: [await make.leads!()] } });
    return call("GET", `${path}/preview`);
  },
  "GET /organizations/{organization_id}/campaigns/{id}/verdicts": async (call, make) => {
    const path = `${await make.campaigns!()}/verdicts`;
    await call("GET", `${path}?lead_id=${UNKNOWN_ID}`);
    return call("GET", path);
  },
  ...Object.fromEntries(
    ["launch", "pause", "resume", "complete", "cancel"].map((trigger) => [
      `POST /organizations/{organization_id}/campaigns/{id}/${trigger}`,
      async (call: Call, make: Record<string, () => Promise<string>>) => {
        const organization = `/organizations/${await make.organizations!()}`;
        const path = await make.campaigns!();
        await call("POST", `${path}/pause`);
        await call("POST", `${path}/resume`);
        await call("POST", `${path}/launch`);
        const agent = await call("POST", `${organization}/agents`, {
          json: { name: "A", system_prompt: "x" },
        });
        await call("PATCH", path, { json: { assigned_ai_agent_id: agent.body.id } });
        // A number without a time zone: nobody is dialed.
        await call("POST", `${path}/leads/import`, { json: { csv: "phone_number\n8005550100\n" } });
        await call("POST", `${organization}/numbers`, { json: { phone_number: newNumber() } });
        await call("POST", `${organization}/wallet/credits`, { json: { tokens: 99 } });
        if (trigger === "launch") return call("POST", `${path}/launch`);
        await call("POST", `${path}/launch`);
        if (trigger === "resume") await call("POST", `${path}/pause`);
        const answer = await call("POST", `${path}/${trigger}`);
        await call("POST", `${path}/complete`);
        await call("POST", `${path}/launch`);
        return answer;
      },
    ]),
  ),
  "GET /organizations/{organization_id}/calls/{id}": async (call, make) => call("GET", await make.calls!()),
  "POST /organizations/{organization_id}/calls/{id}/hangup": async (call, make) => {
    const path = `${await make.calls!()}/hangup`;
    await call("POST", path);
    return call("POST", path);
  },
  "POST /organizations/{organization_id}/agents/{id}/browser-calls": async (call, make) => {
    const path = await make.agents!();
    await call("POST", `/organizations/${await make.organizations!()}/wallet/credits`, {
      json: { tokens: 1_000 },
    });
    return call("POST", `${path}/browser-calls`);
  },
  "GET /organizations/{organization_id}/calls/{id}/recording-link": async (call, make) => {
    const path = await make.calls!();
    await call("GET", `${path}/recording-link`);
    await make.recorded!();
    return call("GET", `${path}/recording-link`);
  },
  "GET /organizations/{organization_id}/imports/{id}": async (call, make) =>
    call("GET", await make.imports!()),
  "POST /organizations/{organization_id}/webhooks/{id}/ping": async (call, make) =>
    call("POST", `${await make.webhooks!()}/ping`),
  "POST /organizations/{organization_id}/webhooks/{id}/replay-dead-letters": async (call, make) =>
    call("POST", `${await make.webhooks!()}/replay-dead-letters`),
  "GET /organizations/{organization_id}/deliveries": async (call, make) => {
    await make.deliveries!();
    return call("GET", `/organizations/${await make.organizations!()}/deliveries?state=delivered`);
  },
  "GET /organizations/{organization_id}/deliveries/{id}": async (call, make) =>
    call("GET", await make.deliveries!()),
  "POST /organizations/{organization_id}/deliveries/{id}/replay": async (call, make) => {
    const path = `${await make.deliveries!()}/replay`;
    await call("POST", path);
    // It is queued already, or done again.
    return call("POST", path);
  },
};

/** Calls every operation of the public API well and badly. @throws Error for an operation that it can't call */
export async function publicPass(
  app: TestService,
  plane: FakeVoicePlane,
  call: Call,
  organizationId: string,
): Promise<void> {
  const campaign = async (status: string) => {
    const path = `/private/v1/organizations/${organizationId}/campaigns`;
    return String((await app.callPrivate(path, { json: { name: "C", status } })).body.id);
  };
  const make: Record<string, () => Promise<string>> = {
    leads: async () =>
      String((await call("POST", "/leads", { json: { phone_number: newNumber() } })).body.id),
    publicUrl: async () => app.config.public.url,
    webhooks: async () => {
      const json = { target_url: "http://127.0.0.1:9/", event_types: ["call.ended"] };
      return String((await call("POST", "/webhooks", { json })).body.id);
    },
    appointments: async () => {
      const json = { lead_id: await make.leads!(), appointment_datetime: "2027-01-05T10:00:00Z" };
      return String((await call("POST", "/appointments", { json })).body.id);
    },
    agents: async () => String((await call("POST", "/agents", { json: examples.AgentCreate })).body.id),
    appAgent: async () => {
      const path = `/private/v1/organizations/${organizationId}/agents`;
      return String((await app.callPrivate(path, { json: { name: "A", system_prompt: "x" } })).body.id);
    },
    number: async () => {
      const path = `/private/v1/organizations/${organizationId}/numbers`;
      return String((await app.callPrivate(path, { json: { phone_number: newNumber() } })).body.phone_number);
    },
    calls: async () => {
      const json = { medium: "browser", system_prompt: "x" };
      return String((await call("POST", "/calls", { json })).body.id);
    },
    live: async () => {
      const id = await make.calls!();
      await plane.last().answer();
      return id;
    },
    ended: async () => {
      const id = await make.live!();
      await plane.last().say("agent", "Hello.");
      const sink = await plane.last().ports.openRecording();
      sink!.write(new Int16Array(160), new Int16Array(160));
      await plane.last().end({ recordingBytes: await sink!.finish() });
      return id;
    },
    link: async () => String((await call("GET", `/calls/${await make.ended!()}/recording`)).location),
    campaigns: () => campaign("draft"),
    draft: () => campaign("draft"),
    active: () => campaign("active"),
  };
  await app.callPrivate(`/private/v1/organizations/${organizationId}/wallet/credits`, {
    json: { tokens: 9_999 },
  });
  const narrow = await app.newOrganization({ scopes: ["voices:read"] });
  const narrower = await app.newOrganization({ scopes: ["account:read"] });
  const slow = await app.newOrganization({ rateLimit: 1 });
  const suspended = await app.newOrganization();
  await app.callPrivate(`/private/v1/organizations/${suspended.organizationId}`, {
    method: "PATCH",
    json: { status: "suspended" },
  });
  for (const route of app.service.routes.public) {
    const { method } = route;
    const at = (id: string) => route.path.replace(/:\w+/g, id);
    if (route.access === "public") {
      await succeed(route, publicSuccesses, call, make);
      continue;
    }
    await call(method, at(UNKNOWN_ID), { key: "service_live_nobody" });
    await call(method, at(UNKNOWN_ID), { key: route.access === "voices:read" ? narrower.key : narrow.key });
    for (let time = 0; time < 2; time++) await call(method, at(UNKNOWN_ID), { key: slow.key });
    if (route.unavailable) {
      await call(method, at(UNKNOWN_ID), route.body ? { json: examples[String(nameOf(route.body))] } : {});
      continue;
    }
    await callBadly(route, at, call);
    if (route.writes) await call(method, at(UNKNOWN_ID), { key: suspended.key, json: {} });
    await succeed(route, publicSuccesses, call, make);
  }
}

/** Where nobody listens: TCP says so at once. */
function trunkOf(name: string, organizationId?: string) {
  return {
    name,
    uri: "sip:127.0.0.1:9",
    transport: "tcp",
    ...(organizationId && { organization_id: organizationId }),
  };
}

/** The same for the private API. */
export async function privatePass(
  app: TestService,
  plane: FakeVoicePlane,
  call: Call,
  sinkUrl: string,
): Promise<void> {
  const { organizationId, key } = await app.newOrganization();
  const organization = `/organizations/${organizationId}`;
  const made = async (path: string, json: unknown) =>
    `${organization}/${path}/${(await call("POST", `${organization}/${path}`, { json })).body.id}`;
  let members = 0;
  const make: Record<string, () => Promise<string>> = {
    organizations: async () => organizationId,
    leads: async () =>
      String((await app.call("/v1/leads", { key, json: { phone_number: newNumber() } })).body.id),
    appointments: async () =>
      made("appointments", { lead_id: await make.leads!(), appointment_datetime: "2027-01-05T10:00:00Z" }),
    keys: () => made("keys", { name: "k" }),
    calls: async () => {
      await call("POST", `${organization}/wallet/credits`, { json: { tokens: 1_000 } });
      const json = { medium: "browser", system_prompt: "x" };
      const { body } = await app.call("/v1/calls", { key, json });
      await plane.last().answer();
      return `${organization}/calls/${body.id}`;
    },
    agents: () => made("agents", { name: "A", system_prompt: "x" }),
    trunks: async () =>
      `/trunks/${(await call("POST", "/trunks", { json: trunkOf("Own", organizationId) })).body.id}`,
    recorded: async () => {
      const sink = await plane.last().ports.openRecording();
      sink!.write(new Int16Array(160), new Int16Array(160));
      await plane.last().end({ recordingBytes: await sink!.finish() });
      return "";
    },
    members: () => made("members", { email_address: `m${members++}@example.com`, role: "member" }),
    campaigns: () => made("campaigns", { name: "C" }),
    imports: async () => {
      const csv = `phone_number,credit_score\n${newNumber()},9\nnone,700\n`;
      const { body } = await app.call("/v1/leads/bulk", { key, json: { csv } });
      return `${organization}/imports/${body.job_id}`;
    },
    webhooks: async () => {
      const json = { target_url: sinkUrl, event_types: ["lead.created"] };
      return `${organization}/webhooks/${(await app.call("/v1/webhooks", { key, json })).body.id}`;
    },
    deliveries: async () => {
      await make.webhooks!();
      await app.call("/v1/leads", { key, json: { phone_number: newNumber() } });
      return `${organization}/deliveries/${await delivered(app, organization)}`;
    },
  };
  for (const route of app.service.routes.private) {
    const at = (id: string) => route.path.replace(/:\w+/g, id);
    await call(route.method, at(UNKNOWN_ID), { key: "wrong" });
    await callBadly(route, at, call);
    await succeed(route, privateSuccesses, call, make, (path) =>
      path.replace(":organization_id", organizationId),
    );
  }
}

/** What the service refuses whatever the route does. */
async function callBadly(route: AnyRoute, at: (id: string) => string, call: Call): Promise<void> {
  const { method } = route;
  if (route.path.includes(":")) {
    await call(method, at("not-an-id"), route.body ? { json: {} } : {});
    await call(method, at(UNKNOWN_ID), route.body ? { json: {} } : {});
  }
  if (method === "GET") return;
  await call(method, at(UNKNOWN_ID), { body: "{" });
  await call(method, at(UNKNOWN_ID), { body: "" });
  if (route.body) await call(method, at(UNKNOWN_ID), { json: { colour: "red" } });
}

async function succeed(
  route: AnyRoute,
  successes: Successes,
  call: Call,
  make: Record<string, () => Promise<string>>,
  fill: (path: string) => string = (path) => path,
): Promise<void> {
  const title = titleOf(route);
  const given = successes[title];
  if (given) return void (await given(call, make));
  let path = fill(route.path);
  const segment = route.path.split("/").at(-2);
  if (path.endsWith("/:id") && segment && make[segment]) path = path.replace(":id", await make[segment]());
  if (route.method !== "GET" || path.includes(":")) {
    throw new Error(`${title} has no call that succeeds: add one to tests/contract/passes.ts.`);
  }
  await call("GET", path);
}

async function delivered(app: TestService, organization: string): Promise<string> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const path = `/private/v1${organization}/deliveries?state=delivered`;
    const { body } = await app.callPrivate<{ data: { id: string }[] }>(path, { key: OPERATOR_TOKEN });
    if (body.data[0]) return body.data[0].id;
    if (performance.now() > deadline) throw new Error("Nothing was delivered.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
