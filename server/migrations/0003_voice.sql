-- Voice agents, caller IDs, calls with their transcripts and money, appointments.

-- Signs links to recordings. 256 bits from two random UUIDs; one per organization, the same in every process.
ALTER TABLE organizations ADD COLUMN link_secret bytea NOT NULL
  DEFAULT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

CREATE TABLE agents (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  name            text NOT NULL,
  managed_by      text NOT NULL CHECK (managed_by IN ('api', 'app')),
  -- Whole, with every default filled in. Null only for an agent of the app that has none.
  call_template   jsonb,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX agents_newest_first ON agents (organization_id, created_at DESC, id DESC);

-- The numbers an organization calls from, and is called on.
CREATE TABLE phone_numbers (
  organization_id uuid NOT NULL REFERENCES organizations,
  phone_number    text NOT NULL,
  -- 'simulated', 'sip', 'twilio', 'telnyx'
  carrier         text NOT NULL,
  -- The agent that answers calls to this number.
  agent_id        uuid,
  last_used_at    timestamptz,
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (organization_id, phone_number),
  FOREIGN KEY (organization_id, agent_id) REFERENCES agents (organization_id, id)
);
CREATE UNIQUE INDEX phone_numbers_of_agent ON phone_numbers (organization_id, agent_id) WHERE agent_id IS NOT NULL;

CREATE TABLE calls (
  organization_id   uuid NOT NULL REFERENCES organizations,
  id                uuid NOT NULL,
  -- Who asked for it: decides which events it emits.
  origin            text NOT NULL CHECK (origin IN ('api', 'app', 'campaign', 'inbound')),
  medium            text NOT NULL CHECK (medium IN ('phone', 'browser')),
  call_sid          text,
  lead_id           uuid,
  campaign_id       uuid,
  agent_id          uuid,
  carrier           text,
  to_number         text,
  from_number       text,
  status            text NOT NULL CHECK (status IN
    ('initiating', 'initiated', 'in-progress', 'completed', 'failed', 'busy', 'no-answer', 'canceled', 'voicemail')),
  call_outcome      text,
  disposition       text,
  -- human, machine or unknown, once a phone call was answered and classified.
  answered_by       text,
  -- Why it ended, in words for operators.
  end_reason        text,
  -- What this call runs by: the template with every default, before placeholders are filled in.
  call_template     jsonb NOT NULL,
  template_context  jsonb NOT NULL,
  metadata          jsonb NOT NULL,
  rate_per_minute   integer NOT NULL,
  cost_tokens       bigint,
  summary           text,
  transcript_status text NOT NULL CHECK (transcript_status IN ('pending', 'ready', 'unavailable')),
  -- Where the recording store keeps it; set when recording begins.
  recording_key     text,
  recording_bytes   bigint,
  -- Of a browser call: good for one connection.
  access_token_hash bytea,
  access_token_expires_at timestamptz,
  access_token_used_at    timestamptz,
  -- The process that runs the call, and until when it is believed to live.
  owner_id          uuid NOT NULL,
  lease_until       timestamptz NOT NULL,
  created_at        timestamptz NOT NULL,
  initiated_at      timestamptz,
  answered_at       timestamptz,
  ended_at          timestamptz,
  duration_seconds  integer,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX calls_newest_first ON calls (organization_id, created_at DESC, id DESC);
CREATE INDEX calls_of_agent ON calls (organization_id, agent_id, created_at DESC, id DESC) WHERE agent_id IS NOT NULL;
CREATE INDEX calls_of_lead ON calls (organization_id, lead_id, created_at DESC, id DESC) WHERE lead_id IS NOT NULL;
CREATE INDEX calls_of_campaign ON calls (organization_id, campaign_id, created_at DESC, id DESC) WHERE campaign_id IS NOT NULL;
-- The concurrency cap counts these, and the recovery looks through them.
CREATE INDEX calls_live ON calls (organization_id, lease_until) WHERE ended_at IS NULL;
CREATE INDEX calls_live_of_owner ON calls (owner_id) WHERE ended_at IS NULL;

CREATE TABLE call_transitions (
  organization_id uuid NOT NULL,
  call_id         uuid NOT NULL,
  number          smallint NOT NULL,
  status          text NOT NULL,
  at              timestamptz NOT NULL,
  PRIMARY KEY (organization_id, call_id, number),
  FOREIGN KEY (organization_id, call_id) REFERENCES calls ON DELETE CASCADE
);

-- What was said, line by line, written while the call runs.
CREATE TABLE call_turns (
  organization_id uuid NOT NULL,
  call_id         uuid NOT NULL,
  number          integer NOT NULL,
  role            text NOT NULL CHECK (role IN ('agent', 'user', 'tool')),
  source          text NOT NULL CHECK (source IN ('model', 'stt', 'script', 'simulated', 'dtmf', 'vad')),
  text            text NOT NULL,
  -- Milliseconds from the answer.
  start_ms        integer NOT NULL,
  end_ms          integer NOT NULL,
  PRIMARY KEY (organization_id, call_id, number),
  FOREIGN KEY (organization_id, call_id) REFERENCES calls ON DELETE CASCADE
);

CREATE TABLE call_transfers (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  call_id         uuid NOT NULL,
  to_number       text NOT NULL,
  mode            text NOT NULL CHECK (mode IN ('warm')),
  outcome         text CHECK (outcome IN ('success', 'failed')),
  -- The sentence that the human hears before being joined.
  briefing        text NOT NULL,
  created_at      timestamptz NOT NULL,
  finished_at     timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, call_id) REFERENCES calls ON DELETE CASCADE
);

-- Tokens set aside for a call before it is dialed; settled (captured and released) exactly once.
CREATE TABLE call_holds (
  organization_id uuid NOT NULL REFERENCES organizations,
  call_id         uuid NOT NULL,
  state           text NOT NULL CHECK (state IN ('held', 'settled')),
  -- What is set aside while held, and 0 once settled.
  held            bigint NOT NULL CHECK (held >= 0),
  -- What was charged in the end.
  captured        bigint CHECK (captured >= 0),
  created_at      timestamptz NOT NULL,
  settled_at      timestamptz,
  PRIMARY KEY (organization_id, call_id)
);
CREATE INDEX call_holds_held ON call_holds (organization_id, created_at) WHERE state = 'held';

CREATE TABLE appointments (
  organization_id      uuid NOT NULL REFERENCES organizations,
  id                   uuid NOT NULL,
  status               text NOT NULL CHECK (status IN ('scheduled', 'cancelled', 'completed', 'no_show')),
  lead_id              uuid,
  campaign_id          uuid,
  call_id              uuid,
  appointment_datetime timestamptz NOT NULL,
  duration_minutes     integer NOT NULL CHECK (duration_minutes BETWEEN 5 AND 480),
  timezone             text NOT NULL,
  source               text NOT NULL CHECK (source IN ('ai_agent', 'app', 'public_api')),
  notes                text,
  cancel_reason        text,
  cancelled_at         timestamptz,
  created_at           timestamptz NOT NULL,
  updated_at           timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, lead_id) REFERENCES leads (organization_id, id)
);
CREATE INDEX appointments_newest_first ON appointments (organization_id, created_at DESC, id DESC);
CREATE INDEX appointments_of_lead ON appointments (organization_id, lead_id, appointment_datetime) WHERE lead_id IS NOT NULL;
