const columns = "phone_number, carrier, agent_id, last_used_at, created_at";

/** Returns nothing when the organization has the number already. */
export const insertNumber = {
  name: "number-insert",
  text: `
    INSERT INTO phone_numbers (organization_id, phone_number, carrier, created_at)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (organization_id, phone_number) DO NOTHING
    RETURNING ${columns}`,
};

export const readNumber = {
  name: "number-read",
  text: `SELECT ${columns} FROM phone_numbers WHERE organization_id = $1 AND phone_number = $2`,
};

/** By whom is called: across organizations without $1. $2 number, $3 the carrier that brings the call */
export const readCalledNumber = {
  name: "number-called",
  text: `
    SELECT organization_id, phone_number, agent_id FROM phone_numbers
    WHERE ($1::uuid IS NULL OR organization_id = $1) AND phone_number = $2 AND agent_id IS NOT NULL
    ORDER BY carrier = $3 DESC, created_at, organization_id LIMIT 1`,
};

/** Holds the number for the rest of the transaction. */
export const lockNumber = {
  name: "number-lock",
  text: `SELECT ${columns} FROM phone_numbers WHERE organization_id = $1 AND phone_number = $2 FOR UPDATE`,
};

export const deleteNumber = {
  name: "number-delete",
  text: "DELETE FROM phone_numbers WHERE organization_id = $1 AND phone_number = $2",
};

/** Newest first. $1 organization, $2 limit, $3 offset */
export const listNumbers = {
  name: "numbers-list",
  text: `
    SELECT ${columns} FROM phone_numbers WHERE organization_id = $1
    ORDER BY created_at DESC, phone_number DESC LIMIT $2 OFFSET $3`,
};

/**
 * $1 organization, $2 destination, $3 the destination's area code as the beginning of a number, or null, $4 now.
 * One of the same area code first, then the one that wasn't used for longest; the destination itself only when there is
 * no other.
 */
export const pickCallerId = {
  name: "number-pick",
  text: `
    UPDATE phone_numbers SET last_used_at = $4
    WHERE organization_id = $1 AND phone_number = (
      SELECT phone_number FROM phone_numbers WHERE organization_id = $1
      ORDER BY phone_number = $2, coalesce(starts_with(phone_number, $3), false) DESC,
        last_used_at NULLS FIRST, created_at, phone_number
      LIMIT 1)
    RETURNING ${columns}`,
};

/** $3 now */
export const takeCallerId = {
  name: "number-take",
  text: `
    UPDATE phone_numbers SET last_used_at = $3 WHERE organization_id = $1 AND phone_number = $2
    RETURNING ${columns}`,
};

/** $3 the agent, or null */
export const assignNumber = {
  name: "number-assign",
  text: "UPDATE phone_numbers SET agent_id = $3 WHERE organization_id = $1 AND phone_number = $2",
};

/** $1 organization, $2 agent */
export const releaseNumberOf = {
  name: "number-release",
  text: `
    UPDATE phone_numbers SET agent_id = NULL WHERE organization_id = $1 AND agent_id = $2
    RETURNING phone_number`,
};

/** Every organization that has a number, by how long: numbers are few, so they are looked through. $1 number */
export const readOwners = {
  name: "number-owners",
  text: "SELECT organization_id FROM phone_numbers WHERE phone_number = $1 ORDER BY created_at, organization_id",
};
