-- What one process asks of another that runs calls. See docs/scaling.md.
--
--   (nothing) ──asked──▶ waiting ──claimed──▶ claimed ──done──▶ answered ──read──▶ (nothing)
--                           └──────────given up──────┴─▶ (nothing)
--
-- A request that is there is wanted: whoever works on it makes sure of that in the transactions that count, so what was
-- given up is never done, and what was done is never given up.

CREATE TABLE voice_requests (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('start', 'connect', 'hangup')),
  -- The process that it is for. Null: any that takes calls.
  owner_id        uuid,
  -- Of a start: once the call is stored.
  call_id         uuid,
  payload         text NOT NULL,
  created_at      timestamptz NOT NULL,
  claimed_by      uuid,
  answer          text,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX voice_requests_waiting ON voice_requests (created_at) WHERE claimed_by IS NULL;

-- The processes with the role `voice`.
CREATE TABLE voice_processes (
  -- The nil UUID: they are every organization's.
  organization_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  -- calls.owner_id
  id              uuid NOT NULL,
  state           text NOT NULL CHECK (state IN ('open', 'full', 'draining')),
  seen_at         timestamptz NOT NULL,
  -- One more each time that it is seen: who waits for it needs no clock that agrees with its own.
  beats           bigint NOT NULL,
  PRIMARY KEY (organization_id, id)
);
