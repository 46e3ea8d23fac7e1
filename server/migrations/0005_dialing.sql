-- Campaigns that dial: how each dials, where each of its leads stands, every attempt, and why it was made or wasn't.

ALTER TABLE organizations
  -- Attempts to one number in any 24 hours, where it is to be fewer than the rules allow.
  ADD COLUMN daily_attempt_cap integer CHECK (daily_attempt_cap >= 0),
  -- When agents may book: { "mon": ["09:00-12:00", "13:00-17:00"], … } of the organization's own clock; {} is any time.
  ADD COLUMN appointment_hours jsonb NOT NULL DEFAULT '{}';

ALTER TABLE campaigns
  -- Calls at once (ai), or seats that talk (power, predictive); null: as many as the organization may have.
  ADD COLUMN concurrency integer CHECK (concurrency >= 1),
  -- Call starts a second; null: no limit of its own.
  ADD COLUMN calls_per_second double precision CHECK (calls_per_second > 0),
  -- Of the mode power, and where predictive begins.
  ADD COLUMN lines_per_seat double precision NOT NULL DEFAULT 1.5 CHECK (lines_per_seat >= 1),
  ADD COLUMN max_attempts integer NOT NULL DEFAULT 4 CHECK (max_attempts >= 1),
  -- HH:MM of the called party's clock, half-open; null: the rules' own hours.
  ADD COLUMN window_start text,
  ADD COLUMN window_end text,
  -- mon, tue, …; null: all.
  ADD COLUMN days text[],
  -- Minutes until the next attempt, by what became of the last one.
  ADD COLUMN retry_minutes jsonb NOT NULL DEFAULT '{"busy":30,"no_answer":120,"voicemail":1440,"network_failure":5}',
  ADD COLUMN require_consent boolean NOT NULL DEFAULT false,
  -- Why an active campaign isn't dialing at all, in words for operators; null when nothing is in the way.
  ADD COLUMN halted_because text,
  ADD CHECK ((window_start IS NULL) = (window_end IS NULL));
CREATE INDEX campaigns_active ON campaigns (organization_id, id) WHERE status = 'active';

-- Where a lead stands in a campaign; kept in step with its lead by the triggers below. The states are a machine: see lead-states.ts.
CREATE TABLE dial_entries (
  organization_id  uuid NOT NULL,
  campaign_id      uuid NOT NULL,
  lead_id          uuid NOT NULL,
  phone_number     text NOT NULL,
  -- waiting: to be looked at from next_at on · dialing: an attempt is claimed or under way · blocked: refused for good, as far
  -- as is known; looked at again from next_at on, but nothing waits for it · done: no more attempts · left: its lead is elsewhere
  state            text NOT NULL CHECK (state IN ('waiting', 'dialing', 'blocked', 'done', 'left')),
  next_at          timestamptz NOT NULL,
  attempts         integer NOT NULL DEFAULT 0,
  network_failures integer NOT NULL DEFAULT 0,
  -- What the dialer last wrote into the lead's status: another one means that somebody else has taken the lead over.
  lead_status      text,
  -- When next_at is a time before which no retry is due: 'retry', or 'callback' for one that the person asked for.
  due              text CHECK (due IN ('retry', 'callback')),
  -- The last verdict's answer, so that the same answer isn't stored again.
  verdict_reason   text,
  verdict_rule     text,
  PRIMARY KEY (organization_id, campaign_id, lead_id),
  FOREIGN KEY (organization_id, campaign_id) REFERENCES campaigns (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, lead_id) REFERENCES leads (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX dial_entries_due ON dial_entries (organization_id, campaign_id, next_at, lead_id)
  WHERE state IN ('waiting', 'blocked');
-- Whether a campaign has anybody left.
CREATE INDEX dial_entries_open ON dial_entries (organization_id, campaign_id) WHERE state IN ('waiting', 'dialing');
CREATE INDEX dial_entries_of_lead ON dial_entries (organization_id, lead_id);
CREATE INDEX dial_entries_blocked_number ON dial_entries (organization_id, phone_number) WHERE state = 'blocked';

-- Every attempt to reach a lead. Its id is the call's, chosen before anything is dialed: starting it twice is impossible.
CREATE TABLE dial_attempts (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  campaign_id     uuid NOT NULL,
  lead_id         uuid NOT NULL,
  phone_number    text NOT NULL,
  -- Of the lead in this campaign, from 1.
  number          integer NOT NULL,
  verdict_id      uuid NOT NULL,
  -- claimed: nobody has been asked to place it yet · dialed: the call is stored, and its end will settle this · settled ·
  -- dropped: never dialed
  state           text NOT NULL CHECK (state IN ('claimed', 'dialed', 'settled', 'dropped')),
  -- The process that claimed it, and until when it is believed to be about to dial.
  worker_id       uuid NOT NULL,
  lease_until     timestamptz NOT NULL,
  outcome         text,
  -- human, machine or unknown
  answered_by     text,
  -- A person answered and no seat was free.
  abandoned       boolean NOT NULL DEFAULT false,
  claimed_at      timestamptz NOT NULL,
  dialed_at       timestamptz,
  answered_at     timestamptz,
  settled_at      timestamptz,
  cost_tokens     bigint,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, campaign_id) REFERENCES campaigns (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, lead_id) REFERENCES leads (organization_id, id) ON DELETE CASCADE
);
-- Nobody is called by two campaigns, or two workers, at once.
CREATE UNIQUE INDEX dial_attempts_one_at_a_time ON dial_attempts (organization_id, phone_number)
  WHERE state IN ('claimed', 'dialed');
CREATE INDEX dial_attempts_live ON dial_attempts (organization_id, campaign_id) WHERE state IN ('claimed', 'dialed');
CREATE INDEX dial_attempts_claimed ON dial_attempts (lease_until) WHERE state = 'claimed';
CREATE INDEX dial_attempts_of_campaign ON dial_attempts (organization_id, campaign_id, claimed_at);
-- The share of abandoned calls is counted over 30 days of these.
CREATE INDEX dial_attempts_people ON dial_attempts (organization_id, campaign_id, settled_at) INCLUDE (abandoned)
  WHERE state = 'settled' AND answered_by IN ('human', 'unknown');
CREATE INDEX dial_attempts_of_lead ON dial_attempts (organization_id, lead_id, claimed_at);

-- Why an attempt was allowed, or why there was none.
CREATE TABLE dial_verdicts (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  campaign_id     uuid NOT NULL,
  lead_id         uuid NOT NULL,
  -- Of an allowed one: the attempt's, which is the call's.
  call_id         uuid,
  allowed         boolean NOT NULL,
  reason          text,
  rule_id         text NOT NULL,
  rule_version    integer NOT NULL,
  citation        text NOT NULL,
  zones           jsonb NOT NULL,
  states          text[] NOT NULL,
  decided_at      timestamptz NOT NULL,
  next_allowed_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, campaign_id) REFERENCES campaigns (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, lead_id) REFERENCES leads (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX dial_verdicts_of_campaign ON dial_verdicts (organization_id, campaign_id, id);
CREATE INDEX dial_verdicts_of_lead ON dial_verdicts (organization_id, lead_id, id);

-- What the pacing of an active campaign carries from one look to the next. Whoever claims its leads holds this row.
CREATE TABLE campaign_pacing (
  organization_id uuid NOT NULL,
  campaign_id     uuid NOT NULL,
  -- Call starts that may be made now, as of bucket_at.
  bucket_tokens   double precision NOT NULL,
  bucket_at       timestamptz NOT NULL,
  -- Lines per seat, as predictive has adapted it at adapted_at; and the share of taken seats that will be free by the time a
  -- line is answered.
  dial_level      double precision NOT NULL,
  seats_ahead     double precision NOT NULL DEFAULT 0,
  adapted_at      timestamptz NOT NULL,
  PRIMARY KEY (organization_id, campaign_id),
  FOREIGN KEY (organization_id, campaign_id) REFERENCES campaigns (organization_id, id) ON DELETE CASCADE
);

-- When the person asked to be called again, as the call's agent understood it.
ALTER TABLE calls ADD COLUMN callback_at timestamptz;
-- The frequency cap looks at a day of these, and one number is called once at a time.
CREATE INDEX calls_to_number ON calls (organization_id, to_number, created_at) WHERE medium = 'phone';

-- A lead's entry follows the lead, whoever writes it: the API, an import, an operator, a call. A trigger, so that no writer can
-- forget it and none pays for leads without a campaign.
CREATE FUNCTION follow_lead() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.campaign_id IS NOT NULL AND OLD.campaign_id IS DISTINCT FROM NEW.campaign_id THEN
    -- One that is being dialed is told at its end.
    UPDATE dial_entries SET state = 'left'
    WHERE organization_id = OLD.organization_id AND campaign_id = OLD.campaign_id AND lead_id = OLD.id AND state <> 'dialing';
  END IF;
  IF NEW.campaign_id IS NOT NULL THEN
    INSERT INTO dial_entries AS entry (organization_id, campaign_id, lead_id, phone_number, state, next_at)
    VALUES (NEW.organization_id, NEW.campaign_id, NEW.id, NEW.phone_number,
      CASE WHEN NEW.status IN ('new', 'pending') THEN 'waiting' ELSE 'done' END, NEW.created_at)
    ON CONFLICT (organization_id, campaign_id, lead_id) DO UPDATE SET
      state = CASE
        WHEN entry.state = 'dialing' THEN 'dialing'
        WHEN NEW.status IN ('new', 'pending') THEN 'waiting'
        -- A retry stays planned as long as the status is the one that the dialer gave.
        WHEN entry.state = 'waiting' AND NEW.status = entry.lead_status THEN 'waiting'
        ELSE 'done'
      END,
      -- A time that is waited for isn't cut short by telling of the lead again.
      next_at = CASE WHEN entry.state IN ('waiting', 'dialing') THEN entry.next_at ELSE NEW.created_at END,
      due = CASE WHEN entry.state IN ('waiting', 'dialing') THEN entry.due END;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER leads_followed_in AFTER INSERT ON leads FOR EACH ROW
  WHEN (NEW.campaign_id IS NOT NULL) EXECUTE FUNCTION follow_lead();
CREATE TRIGGER leads_followed AFTER UPDATE ON leads FOR EACH ROW
  WHEN (NEW.campaign_id IS DISTINCT FROM OLD.campaign_id
    OR NEW.campaign_id IS NOT NULL AND (NEW.status IS DISTINCT FROM OLD.status OR NEW.consented_at IS DISTINCT FROM OLD.consented_at))
  EXECUTE FUNCTION follow_lead();

-- A number that is off the list is looked at again.
CREATE FUNCTION look_at_number_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dial_entries SET next_at = OLD.created_at
  WHERE organization_id = OLD.organization_id AND phone_number = OLD.phone_number AND state = 'blocked';
  RETURN NULL;
END $$;
CREATE TRIGGER dnc_entries_removed AFTER DELETE ON dnc_entries FOR EACH ROW EXECUTE FUNCTION look_at_number_again();

-- Leads that are in a campaign already.
INSERT INTO dial_entries (organization_id, campaign_id, lead_id, phone_number, state, next_at)
SELECT organization_id, campaign_id, id, phone_number,
  CASE WHEN status IN ('new', 'pending') THEN 'waiting' ELSE 'done' END, created_at
FROM leads WHERE campaign_id IS NOT NULL;
