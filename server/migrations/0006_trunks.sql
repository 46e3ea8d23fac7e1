-- SIP servers that carry calls: an organization's own, and those that all organizations share.

CREATE TABLE trunks (
  -- The nil UUID, which no organization has: shared by all of them.
  organization_id  uuid NOT NULL,
  id               uuid NOT NULL,
  owner_id         uuid GENERATED ALWAYS AS (nullif(organization_id, '00000000-0000-0000-0000-000000000000')) STORED
                   REFERENCES organizations,
  name             text NOT NULL,
  host             text NOT NULL,
  -- Null: the protocol's own, or what the name's SRV records tell.
  port             integer CHECK (port BETWEEN 1 AND 65535),
  transport        text NOT NULL CHECK (transport IN ('udp', 'tcp', 'tls')),
  username         text,
  -- In the clear: a digest can't be answered with less.
  password         text,
  -- Null: as many as come.
  channels         integer CHECK (channels > 0),
  calls_per_second integer CHECK (calls_per_second > 0),
  -- The lowest is tried first.
  priority         integer NOT NULL,
  -- Whether the trunk is told where we are (REGISTER).
  register         boolean NOT NULL,
  created_at       timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  CHECK ((username IS NULL) = (password IS NULL))
);

-- A call that comes in tells the number, and not whose it is.
CREATE INDEX phone_numbers_with_agent ON phone_numbers (phone_number) WHERE agent_id IS NOT NULL;
