-- One delivery per event and subscription holds by construction: an event's deliveries are inserted by the statement
-- that inserts the event, one for each subscription. Checking it cost every delivery a tenth, twice: when it is queued
-- and when its result is recorded.
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_organization_id_event_id_subscription_id_key;
