-- Texts that people sent to an organization's numbers, as they came: the evidence of opt-outs by text.
CREATE TABLE inbound_texts (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  from_number     text NOT NULL,
  -- As the carrier names it: a short code has no E.164 form.
  to_number       text NOT NULL,
  body            text NOT NULL,
  opt_out         boolean NOT NULL,
  -- The words it was told by.
  matched         text,
  received_at     timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  CHECK (opt_out = (matched IS NOT NULL))
);
CREATE INDEX inbound_texts_by_number ON inbound_texts (organization_id, from_number, id);
