-- Every primary key starts with organization_id, so that a distributed PostgreSQL can keep an organization's rows together.
-- Times are written by the service's clock, never by the database: no column defaults to now().

-- A UUIDv7 whose time part is given in milliseconds. For rows that are born inside a statement (one delivery per matching
-- subscription); all other ids are made by the service. PostgreSQL has its own only from 18 on, and with its own clock.
CREATE FUNCTION uuid_v7_at(milliseconds bigint) RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing substring(int8send(milliseconds) from 3) from 1 for 6), 52, 1), 53, 1),
    'hex')::uuid
$$;

CREATE TABLE organizations (
  organization_id        uuid PRIMARY KEY,
  name                   text NOT NULL,
  status                 text NOT NULL CHECK (status IN ('active', 'suspended')),
  sandbox                boolean NOT NULL,
  voice_enabled          boolean NOT NULL,
  concurrency_limit      integer NOT NULL CHECK (concurrency_limit >= 0),
  low_balance_threshold  bigint NOT NULL CHECK (low_balance_threshold >= 0),
  phone_rate_per_minute  integer NOT NULL DEFAULT 90 CHECK (phone_rate_per_minute >= 0),
  browser_rate_per_minute integer NOT NULL DEFAULT 60 CHECK (browser_rate_per_minute >= 0),
  timezone               text NOT NULL,
  -- When the API was last called with one of its keys, at most a minute late. Decides the sandbox's retention.
  last_api_activity_at   timestamptz NOT NULL,
  -- Set while what an idle sandbox had before this moment is being removed.
  sandbox_purge_before   timestamptz,
  created_at             timestamptz NOT NULL,
  updated_at             timestamptz NOT NULL
);

CREATE TABLE members (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  email_address   text NOT NULL,
  name            text,
  role            text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, email_address)
);

CREATE TABLE api_keys (
  organization_id       uuid NOT NULL REFERENCES organizations,
  id                    uuid NOT NULL,
  name                  text NOT NULL,
  key_hash              bytea NOT NULL,
  -- The first characters, for people to tell keys apart. Never enough to use.
  key_prefix            text NOT NULL,
  scopes                text[] NOT NULL,
  rate_limit_per_minute integer NOT NULL CHECK (rate_limit_per_minute > 0),
  expires_at            timestamptz,
  revoked_at            timestamptz,
  rotated_from          uuid,
  last_used_at          timestamptz,
  created_at            timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- Not unique: a distributed PostgreSQL can't have a unique index without organization_id, and 256 random bits don't collide.
CREATE INDEX api_keys_by_hash ON api_keys (key_hash);

CREATE TABLE audit_log (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  actor           text NOT NULL,
  action          text NOT NULL,
  subject_type    text NOT NULL,
  subject_id      text NOT NULL,
  details         jsonb NOT NULL,
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE campaigns (
  organization_id      uuid NOT NULL REFERENCES organizations,
  id                   uuid NOT NULL,
  name                 text NOT NULL,
  status               text NOT NULL CHECK (status IN ('draft', 'active', 'paused', 'completed', 'cancelled')),
  dialer_mode          text CHECK (dialer_mode IN ('ai', 'power', 'predictive')),
  assigned_ai_agent_id uuid,
  launched_at          timestamptz,
  paused_at            timestamptz,
  created_at           timestamptz NOT NULL,
  updated_at           timestamptz,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX campaigns_newest_first ON campaigns (organization_id, created_at DESC, id DESC);

CREATE TABLE leads (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  phone_number    text NOT NULL,
  first_name      text,
  last_name       text,
  email_address   text,
  status          text NOT NULL,
  campaign_id     uuid,
  consent_source  text,
  consented_at    timestamptz,
  credit_score    integer,
  annual_income   double precision,
  notes           text,
  source_tag      text NOT NULL,
  -- 1 on the insert, one more on every update: how one statement tells which of the two it did.
  version         integer NOT NULL DEFAULT 1,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, phone_number),
  FOREIGN KEY (organization_id, campaign_id) REFERENCES campaigns (organization_id, id)
);
CREATE INDEX leads_newest_first ON leads (organization_id, created_at DESC, id DESC);
CREATE INDEX leads_of_campaign ON leads (organization_id, campaign_id, created_at DESC, id DESC) WHERE campaign_id IS NOT NULL;
CREATE INDEX leads_by_status ON leads (organization_id, status, created_at DESC, id DESC);

CREATE TABLE import_jobs (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  campaign_id     uuid,
  -- running: rows are being written, or the process that wrote them died in the middle.
  state           text NOT NULL CHECK (state IN ('running', 'finished', 'failed')),
  total           integer NOT NULL DEFAULT 0,
  inserted        integer NOT NULL DEFAULT 0,
  updated         integer NOT NULL DEFAULT 0,
  skipped         integer NOT NULL DEFAULT 0,
  failed          integer NOT NULL DEFAULT 0,
  warnings        integer NOT NULL DEFAULT 0,
  created_at      timestamptz NOT NULL,
  finished_at     timestamptz,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE import_job_rows (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  row_number      integer NOT NULL,
  -- Several warnings may concern one row.
  ordinal         integer NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('error', 'warning')),
  code            text NOT NULL,
  column_name     text,
  raw_row         json NOT NULL,
  PRIMARY KEY (organization_id, job_id, row_number, ordinal),
  FOREIGN KEY (organization_id, job_id) REFERENCES import_jobs ON DELETE CASCADE
);

-- The outbox: an event commits with the change it reports, and with one delivery per subscription that wants it.
CREATE TABLE events (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  type            text NOT NULL,
  -- json, not jsonb: what is signed and sent keeps the order its members were written in.
  data            json NOT NULL,
  occurred_at     timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE webhook_subscriptions (
  organization_id      uuid NOT NULL REFERENCES organizations,
  id                   uuid NOT NULL,
  name                 text NOT NULL,
  target_url           text NOT NULL,
  event_types          text[] NOT NULL,
  secret               text NOT NULL,
  enabled              boolean NOT NULL,
  consecutive_failures integer NOT NULL DEFAULT 0,
  last_success_at      timestamptz,
  last_failure_at      timestamptz,
  disabled_reason      text,
  created_at           timestamptz NOT NULL,
  updated_at           timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);

-- Schedule, log and dead letter in one row.
--
--   pending ──2xx──▶ delivered             claimed = lease_until is set; whoever claims a row whose lease
--   pending ──failure──▶ retrying          has run out takes it over. Results are fenced by claim_id.
--   retrying ──2xx──▶ delivered
--   retrying ──failure, attempt < 8──▶ retrying
--   pending|retrying ──8th failure, or the target turned private──▶ dead_letter
--   pending|retrying ──subscription disabled or deleted──▶ discarded
--   dead_letter|discarded|delivered ──replay──▶ pending
CREATE TABLE webhook_deliveries (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  event_id        uuid NOT NULL,
  subscription_id uuid NOT NULL,
  state           text NOT NULL CHECK (state IN ('pending', 'retrying', 'delivered', 'dead_letter', 'discarded')),
  -- Attempts made in the current round (a replay starts a new round); the next one is attempt + 1.
  attempt         smallint NOT NULL DEFAULT 0,
  -- Attempts ever made: numbers the rows of webhook_attempts.
  attempts_made   integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  lease_until     timestamptz,
  claim_id        uuid,
  created_at      timestamptz NOT NULL,
  finished_at     timestamptz,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, event_id, subscription_id)
  -- Room on each page for the claim's version of a row: the claim then touches no index, and costs a third.
) WITH (fillfactor = 50);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (organization_id, subscription_id, next_attempt_at)
  WHERE state IN ('pending', 'retrying');
-- What an operator looks for and replays; few rows, so it costs the others nothing.
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (organization_id, subscription_id, id) WHERE state = 'dead_letter';
-- No index on finished_at: it would cost every delivery, and what is past its time is found by the time in its id.

CREATE TABLE webhook_attempts (
  organization_id  uuid NOT NULL,
  delivery_id      uuid NOT NULL,
  number           integer NOT NULL,
  attempt          smallint NOT NULL,
  started_at       timestamptz NOT NULL,
  duration_ms      integer NOT NULL,
  status_code      integer,
  error            text,
  response_excerpt text,
  PRIMARY KEY (organization_id, delivery_id, number)
);

--   running ──answer below 500──▶ done          running ──5xx or 429──▶ (removed)
--   running, older than 60 s ──same key again──▶ running (taken over with a new claim_id)
CREATE TABLE idempotency_records (
  organization_id uuid NOT NULL,
  api_key_id      uuid NOT NULL,
  method          text NOT NULL,
  path            text NOT NULL,
  key             text NOT NULL,
  request_hash    bytea NOT NULL,
  state           text NOT NULL CHECK (state IN ('running', 'done')),
  claim_id        uuid NOT NULL,
  status_code     smallint,
  body            text,
  claimed_at      timestamptz NOT NULL,
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (organization_id, api_key_id, method, path, key)
);
CREATE INDEX idempotency_records_by_age ON idempotency_records (created_at);

CREATE TABLE dnc_entries (
  organization_id uuid NOT NULL REFERENCES organizations,
  phone_number    text NOT NULL,
  reason          text,
  source          text NOT NULL,
  added_by        text NOT NULL,
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (organization_id, phone_number)
);
CREATE INDEX dnc_entries_newest_first ON dnc_entries (organization_id, created_at DESC, phone_number DESC);

-- balance is what the organization has; held is the part of it that running calls have reserved.
CREATE TABLE wallets (
  organization_id   uuid PRIMARY KEY REFERENCES organizations,
  balance           bigint NOT NULL,
  held              bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- True while the balance is above the threshold: the next fall to it reports billing.low_balance.
  low_balance_armed boolean NOT NULL,
  updated_at        timestamptz NOT NULL
);

-- Append-only double entry: the entries of one transfer sum to zero.
CREATE TABLE ledger_entries (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  transfer_id     uuid NOT NULL,
  account         text NOT NULL CHECK (account IN ('wallet', 'funding', 'revenue')),
  amount          bigint NOT NULL CHECK (amount <> 0),
  kind            text NOT NULL,
  idempotency_key text NOT NULL,
  note            text,
  actor           text NOT NULL,
  -- What the wallet held after this entry; the other accounts keep no running balance.
  balance_after   bigint CHECK (balance_after >= 0),
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, account, idempotency_key),
  CHECK ((account = 'wallet') = (balance_after IS NOT NULL))
);
