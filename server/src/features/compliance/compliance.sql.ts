/** What stands against calling a number. $1 organization, $2 number, $3 a day before, $4 the instant */
export const readNumberState = {
  name: "compliance-number-state",
  text: `
    SELECT
      EXISTS (SELECT FROM dnc_entries d WHERE d.organization_id = $1 AND d.phone_number = $2) AS on_dnc,
      EXISTS (SELECT FROM leads l WHERE l.organization_id = $1 AND l.phone_number = $2 AND l.status = 'do_not_call') AS opted_out,
      EXISTS (
        SELECT FROM calls c WHERE c.organization_id = $1 AND c.to_number = $2 AND c.medium = 'phone' AND c.ended_at IS NULL
      ) AS in_flight,
      ARRAY(
        SELECT extract(epoch FROM c.created_at)::float8 * 1000 FROM calls c
        WHERE c.organization_id = $1 AND c.created_at > $3 AND c.created_at <= $4 AND c.to_number = $2 AND c.medium = 'phone'
          AND c.origin <> 'inbound'
      ) AS recent_attempts`,
};
