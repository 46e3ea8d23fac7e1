// Longer than 300 lines, since it is a list: an example for each body that the documents show.
import type { Json, JsonObject } from "../http/openapi-schemas.ts";

const LEAD = "0198f0a2-6f3d-7c55-8a41-3d5e9b7c2f10";
const CAMPAIGN = "0198f0a6-4e5f-7061-8273-8495a6b7c8d9";
const CALL = "0198f0a3-1b2c-7d4e-9f50-61728394a5b6";
const CREATED = "2026-03-04T17:20:31.412Z";

const leadCreate: JsonObject = {
  phone_number: "(212) 555-0100",
  first_name: "Ada",
  last_name: "Lovelace",
  email_address: "Ada@Example.com",
  consent_source: "web_form",
  consented_at: "2026-01-05T09:30:00-05:00",
};

const leadSummary: JsonObject = {
  id: LEAD,
  first_name: "Ada",
  last_name: "Lovelace",
  full_name: "Ada Lovelace",
  phone_number: "+12125550100",
  email_address: "ada@example.com",
  status: "new",
  campaign_id: null,
  consent_source: "web_form",
  consented_at: "2026-01-05T14:30:00.000Z",
  created_at: CREATED,
  updated_at: null,
};

const campaign: JsonObject = {
  id: CAMPAIGN,
  name: "Spring open house",
  status: "active",
  dialer_mode: "ai",
  assigned_ai_agent_id: null,
  launched_at: "2026-03-04T09:00:00.000Z",
  paused_at: null,
  created_at: "2026-03-03T15:12:44.180Z",
  updated_at: "2026-03-04T09:00:00.000Z",
};

const AGENT = "0198f0a8-6071-7283-94a5-b6c7d8e9f001";

const callTemplate: JsonObject = {
  system_prompt: "You call for Acme Homes. Invite {{first_name}} to the open house on Saturday.",
  voice: "clara",
  temperature: 0.7,
  first_speaker: "agent",
  recording_enabled: true,
  greeting: "Hi {{first_name}}, this is Clara from Acme Homes.",
  max_duration_seconds: 600,
  voicemail_message: "",
  recording_announcement: true,
  tools: ["end_call", "book_appointment", "record_opt_out"],
  transfer_number: null,
};

const agent: JsonObject = {
  id: AGENT,
  name: "Open house",
  call_template: callTemplate,
  managed_by: "api",
  phone_number: null,
  created_at: CREATED,
  updated_at: CREATED,
};

const appointment: JsonObject = {
  id: "0198f0a9-7182-7394-a5b6-c7d8e9f00112",
  status: "scheduled",
  lead_id: LEAD,
  campaign_id: null,
  call_id: null,
  appointment_datetime: "2026-03-07T15:00:00.000Z",
  duration_minutes: 30,
  timezone: "America/New_York",
  source: "public_api",
  notes: null,
  cancel_reason: null,
  cancelled_at: null,
  created_at: CREATED,
  updated_at: CREATED,
};

const webhook: JsonObject = {
  id: "0198f0aa-8293-74a5-96b7-c8d9e0f10213",
  name: "CRM",
  target_url: "https://hooks.example.com/outreach",
  event_types: ["lead.created", "lead.updated"],
  enabled: true,
  consecutive_failures: 0,
  last_success_at: null,
  last_failure_at: null,
  disabled_reason: null,
  created_at: CREATED,
};

const createdCall: JsonObject = {
  id: CALL,
  call_sid: `web_${CALL}`,
  lead_id: null,
  campaign_id: null,
  agent_id: null,
  medium: "browser",
  direction: "web",
  to_number: null,
  from_number: null,
  status: "initiating",
  call_outcome: null,
  disposition: null,
  duration: null,
  duration_seconds: null,
  created_at: CREATED,
  ended_at: null,
  recording_url: null,
  metadata: { page: "/open-house" },
};

const callSummary: JsonObject = {
  id: CALL,
  call_sid: `sim_${CALL}`,
  lead_id: LEAD,
  campaign_id: null,
  agent_id: null,
  medium: "phone",
  direction: "phone",
  to_number: "+14155550100",
  from_number: "+14155550199",
  status: "completed",
  call_outcome: "completed",
  disposition: null,
  duration: 42,
  duration_seconds: 42,
  created_at: CREATED,
  ended_at: "2026-03-04T17:21:20.007Z",
  recording_url: `http://localhost:8080/v1/calls/${CALL}/recording`,
};

/**
 * An example by the name of a schema of the public document. Every body that an operation takes has one, and all are checked
 * against their schemas.
 */
export const examples: Readonly<Record<string, Json>> = {
  Meta: { api: "Outreach API", version: "1.2.0", docs: "http://localhost:8080/docs" },
  Account: {
    id: "0198f09f-5a6b-7c8d-9e0f-102132435465",
    name: "Acme",
    status: "active",
    sandbox: false,
    key_mode: "live",
    voice_calls_allowed: true,
    scopes: ["account:read", "leads:read", "leads:write", "webhooks:manage"],
    rate_limit_per_minute: 60,
    balance_tokens: 250_000,
    balance_usd: 250,
    created_at: "2026-01-02T10:00:00.000Z",
  },
  LeadCreate: leadCreate,
  LeadPatch: { status: "contacted", notes: "Prefers the afternoon." },
  LeadSummary: leadSummary,
  Lead: {
    ...leadSummary,
    credit_score: 720,
    annual_income: 88_000,
    notes: null,
    source_tag: "api:standalone",
  },
  CsvText: { csv: "Phone,First Name,Shoe Size\n(212) 555-0101,Grace,38\n" },
  CsvInspection: {
    total_rows: 1,
    headers: ["Phone", "First Name", "Shoe Size"],
    suggested_mapping: { phone_number: "Phone", first_name: "First Name" },
    unmapped: ["Shoe Size"],
    missing_required: [],
    sample_rows: [{ Phone: "(212) 555-0101", "First Name": "Grace", "Shoe Size": "38" }],
  },
  LeadImport: {
    csv: "Phone,First Name\n(212) 555-0101,Grace\n(212) 555-0102,Alan\n",
    mapping: { phone_number: "Phone", first_name: "First Name" },
  },
  ImportSummary: {
    job_id: "0198f0a5-3d4e-7f50-8162-738495a6b7c8",
    total: 2,
    inserted: 1,
    updated: 1,
    skipped: 0,
    failed: 0,
  },
  CampaignSummary: campaign,
  Campaign: {
    ...campaign,
    concurrency: 5,
    calls_per_second: 1,
    lines_per_seat: 1.5,
    max_attempts: 4,
    window: "09:00-17:30",
    days: ["mon", "tue", "wed", "thu", "fri"],
    retry_minutes: { busy: 30, no_answer: 120, voicemail: 1_440, network_failure: 5 },
    require_consent: true,
    halted_because: null,
  },
  CampaignStatusResult: { id: CAMPAIGN, status: "paused", changed: true },
  Voice: {
    id: "clara",
    name: "Clara",
    language: "en-US",
    gender: "female",
    description: "Friendly and clear, at an even pace. Suits most calls.",
    preview_url: "https://api.example.com/v1/voices/clara/preview",
  },
  CallTemplate: callTemplate,
  Agent: agent,
  AgentCreate: {
    name: "Open house",
    call_template: {
      system_prompt: String(callTemplate.system_prompt),
      greeting: String(callTemplate.greeting),
      recording_enabled: true,
      max_duration_seconds: 600,
      tools: ["book_appointment"],
    },
  },
  AgentPatch: { call_template: { voice: "marcus", temperature: 0.4 } },
  AgentNumber: { phone_number: "(415) 555-0100" },
  AgentWithNumber: { ...agent, phone_number: "+14155550100", inbound_webhook_configured: true },
  Appointment: appointment,
  AppointmentCreate: {
    lead_id: LEAD,
    appointment_datetime: "2026-03-07T10:00:00-05:00",
    duration_minutes: 30,
  },
  AppointmentPatch: { appointment_datetime: "2026-03-07T11:00:00-05:00", notes: "Asked for the garden." },
  AppointmentCancel: { reason: "Found a house already." },
  CallCreate: {
    medium: "browser",
    system_prompt: "You answer questions about the open house. Be brief.",
    greeting: "Hello {{first_name}}, how can I help?",
    template_context: { first_name: "Ada" },
    metadata: { page: "/open-house" },
  },
  AgentCallCreate: {
    medium: "phone",
    to_number: "(415) 555-0100",
    template_context: { first_name: "Ada" },
  },
  CallSummary: callSummary,
  CreatedCall: {
    ...createdCall,
    browser_session: {
      access_token: `call_0198f09f5a6b7c8d9e0f102132435465_${"0123456789abcdef".repeat(4)}`,
      expires_at: "2026-03-04T17:21:31.412Z",
      connect_url: `http://localhost:8080/v1/calls/${CALL}/connect`,
      ice_servers: [{ urls: "stun:stun.example.com:3478" }],
    },
  },
  BrowserOffer: { sdp: "v=0\r\no=- 46117317 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n", type: "offer" },
  CallTranscript: {
    call_id: CALL,
    status: "ready",
    turns: [
      { role: "agent", source: "script", text: "Hello Ada, how can I help?", start_ms: 0, end_ms: 1_840 },
      { role: "user", source: "vad", text: "[speech, 1.9 s]", start_ms: 2_300, end_ms: 4_200 },
    ],
    text: "Agent: Hello Ada, how can I help?\nUser: [speech, 1.9 s]",
    summary: "Browser call, 42 seconds; the agent spoke once, the other side once. It ended normally.",
  },
  WebhookCreate: {
    name: "CRM",
    target_url: "https://hooks.example.com/outreach",
    event_types: ["lead.created", "lead.updated"],
  },
  WebhookPatch: { event_types: ["*"], enabled: true },
  Webhook: webhook,
  CreatedWebhook: {
    ...webhook,
    secret: "whsec_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  },
  TwilioCall: {
    CallSid: "CA0123456789abcdef0123456789abcdef",
    AccountSid: "AC0123456789abcdef0123456789abcdef",
    CallStatus: "ringing",
    From: "+12125550100",
    To: "+14155550199",
  },
  TwilioText: { From: "+12125550100", To: "+14155550199", Body: "Stop please" },
  TelnyxCall: {
    data: {
      event_type: "call.initiated",
      payload: {
        call_control_id: "v3:0123456789abcdef0123456789abcdef",
        direction: "incoming",
        from: "+12125550100",
        to: "+14155550199",
      },
    },
  },
  TelnyxText: {
    data: {
      event_type: "message.received",
      payload: {
        from: { phone_number: "+12125550100" },
        to: [{ phone_number: "+14155550199" }],
        text: "Stop please",
      },
    },
  },
  ContactCreate: { phone_number: "+12125550103", first_name: "Mary", company: "Acme" },
  DealPatch: { status: "won" },
};
