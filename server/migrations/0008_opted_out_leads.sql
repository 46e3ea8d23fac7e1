-- A lead that must not be called is refused, not just left: its campaign looks at it once and stores the verdict that says so.
CREATE OR REPLACE FUNCTION follow_lead() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.campaign_id IS NOT NULL AND OLD.campaign_id IS DISTINCT FROM NEW.campaign_id THEN
    -- One that is being dialed is told at its end.
    UPDATE dial_entries SET state = 'left'
    WHERE organization_id = OLD.organization_id AND campaign_id = OLD.campaign_id AND lead_id = OLD.id AND state <> 'dialing';
  END IF;
  IF NEW.campaign_id IS NOT NULL THEN
    INSERT INTO dial_entries AS entry (organization_id, campaign_id, lead_id, phone_number, state, next_at)
    VALUES (NEW.organization_id, NEW.campaign_id, NEW.id, NEW.phone_number,
      CASE WHEN NEW.status IN ('new', 'pending') THEN 'waiting' WHEN NEW.status = 'do_not_call' THEN 'blocked' ELSE 'done' END,
      NEW.created_at)
    ON CONFLICT (organization_id, campaign_id, lead_id) DO UPDATE SET
      state = CASE
        WHEN entry.state = 'dialing' THEN 'dialing'
        WHEN NEW.status IN ('new', 'pending') THEN 'waiting'
        -- A retry stays planned as long as the status is the one that the dialer gave.
        WHEN entry.state = 'waiting' AND NEW.status = entry.lead_status THEN 'waiting'
        WHEN NEW.status = 'do_not_call' THEN 'blocked'
        ELSE 'done'
      END,
      -- A time that is waited for isn't cut short by telling of the lead again.
      next_at = CASE
        WHEN entry.state = 'dialing' OR entry.state = 'waiting' AND NEW.status <> 'do_not_call' THEN entry.next_at
        ELSE NEW.created_at
      END,
      due = CASE WHEN entry.state = 'dialing' OR entry.state = 'waiting' AND NEW.status <> 'do_not_call' THEN entry.due END;
  END IF;
  RETURN NULL;
END $$;
