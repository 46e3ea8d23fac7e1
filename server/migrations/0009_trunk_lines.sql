-- What of the trunks' limits is in use, counted over all processes.

-- When the next call may begin; null before the first. Of trunks with calls_per_second.
ALTER TABLE trunks ADD COLUMN next_turn_at timestamptz;

-- A channel in use, of trunks with a number of channels. A row counts for as long as it is there, whatever its lease says.
CREATE TABLE trunk_lines (
  organization_id uuid NOT NULL,
  trunk_id        uuid NOT NULL,
  id              uuid NOT NULL,
  -- Until when the process that holds it is believed to live.
  lease_until     timestamptz NOT NULL,
  PRIMARY KEY (organization_id, trunk_id, id),
  FOREIGN KEY (organization_id, trunk_id) REFERENCES trunks ON DELETE CASCADE
);
