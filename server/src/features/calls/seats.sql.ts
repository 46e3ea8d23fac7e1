/** Whether the people who answer calls of a campaign need a seat to talk. $1 organization, $2 campaign */
export const readSeats = {
  name: "seats-read",
  text: `
    SELECT organization.name AS organization_name, campaign.dialer_mode IN ('power', 'predictive') AS needed
    FROM campaigns AS campaign JOIN organizations AS organization USING (organization_id)
    WHERE campaign.organization_id = $1 AND campaign.id = $2`,
};

/** Whoever takes a seat of the campaign waits here until the transaction before has ended. $1 organization, $2 campaign */
export const lockSeats = {
  name: "seats-lock",
  text: "SELECT pg_advisory_xact_lock(hashtextextended('seats:' || $1::text || $2::text, 0))",
};

/**
 * Seats the person who answered, or stores that every seat was taken. A seat is an attempt whose call runs, that a person answered
 * and that isn't abandoned: so its end, whoever tells it, frees the seat in the same transaction.
 * $1 organization, $2 campaign, $3 call, $4 now
 */
export const takeSeat = {
  name: "seats-take",
  text: `
    UPDATE dial_attempts AS attempt
    SET answered_at = $4, answered_by = 'human',
      abandoned = taken.seats >= least(campaign.concurrency, organization.concurrency_limit)
    FROM campaigns AS campaign, organizations AS organization, (
      SELECT count(*) AS seats FROM dial_attempts
      WHERE organization_id = $1 AND campaign_id = $2 AND state IN ('claimed', 'dialed') AND answered_at IS NOT NULL
        AND NOT abandoned AND id <> $3
    ) AS taken
    WHERE attempt.organization_id = $1 AND attempt.id = $3 AND attempt.state = 'dialed'
      AND campaign.organization_id = $1 AND campaign.id = $2 AND organization.organization_id = $1
    RETURNING NOT attempt.abandoned AS seated`,
};
