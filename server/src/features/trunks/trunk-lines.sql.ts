/** Shared trunks are stored under the nil UUID. */
const owner = (parameter: string) =>
  `coalesce(${parameter}::uuid, '00000000-0000-0000-0000-000000000000'::uuid)`;
const owners = "coalesce(given.owner_id, '00000000-0000-0000-0000-000000000000'::uuid)";

/** Who takes a channel of it comes after whoever does so now. $1 organization or null, $2 trunk */
export const lockTrunk = {
  name: "trunk-lock",
  text: `SELECT id FROM trunks WHERE organization_id = ${owner("$1")} AND id = $2 FOR NO KEY UPDATE`,
};

/**
 * Under the lock, and as a statement of its own: it must see what was stored before the lock was had. No row: no channel is free.
 * $1 organization or null, $2 trunk, $3 id, $4 lease
 */
export const takeLine = {
  name: "trunk-line-take",
  text: `
    INSERT INTO trunk_lines (organization_id, trunk_id, id, lease_until)
    SELECT organization_id, id, $3, $4 FROM trunks
    WHERE organization_id = ${owner("$1")} AND id = $2
      AND channels > (SELECT count(*) FROM trunk_lines WHERE organization_id = ${owner("$1")} AND trunk_id = $2)
    RETURNING id`,
};

/** Whether or not a channel is free. $1 organization or null, $2 trunk, $3 id, $4 lease */
export const insertLine = {
  name: "trunk-line-insert",
  text: `
    INSERT INTO trunk_lines (organization_id, trunk_id, id, lease_until)
    SELECT organization_id, id, $3, $4 FROM trunks WHERE organization_id = ${owner("$1")} AND id = $2`,
};

/**
 * Gives the next turn away: the one statement waits for whoever does so now, and sees what they stored. No row: all turns up to $4
 * are given away. One that is later than $5 no call can have been given: a clock was set back.
 * $1 organization or null, $2 trunk, $3 now, $4 the latest turn, $5 too late to be true
 */
export const takeTurn = {
  name: "trunk-turn-take",
  text: `
    UPDATE trunks
    SET next_turn_at = greatest(CASE WHEN next_turn_at <= $5::timestamptz THEN next_turn_at END, $3::timestamptz)
      + interval '1 second' / calls_per_second
    WHERE organization_id = ${owner("$1")} AND id = $2
      AND (next_turn_at IS NULL OR next_turn_at <= $4::timestamptz OR next_turn_at > $5::timestamptz)
    RETURNING (extract(epoch FROM next_turn_at - interval '1 second' / calls_per_second) * 1000)::float8 AS turn_at`,
};

/** Once, however often. $1 organization or null, $2 trunk, $3 ids */
export const deleteLines = {
  name: "trunk-lines-delete",
  text: `
    DELETE FROM trunk_lines
    WHERE organization_id = ${owner("$1")} AND trunk_id = $2 AND id = ANY ($3::uuid[])`,
};

/** $1 organizations or nulls, $2 trunks */
export const countFree = {
  name: "trunk-lines-count-free",
  text: `
    SELECT coalesce(sum(greatest(0, trunk.channels - (
      SELECT count(*) FROM trunk_lines AS line
      WHERE line.organization_id = trunk.organization_id AND line.trunk_id = trunk.id))), 0)::int AS free
    FROM unnest($1::uuid[], $2::uuid[]) AS given (owner_id, id)
    JOIN trunks AS trunk ON trunk.organization_id = ${owners} AND trunk.id = given.id`,
};

/**
 * Also brings back what was taken for a dead process's: the call is there. By its process: across organizations.
 * $1 organizations or nulls, $2 trunks, $3 ids, $4 lease
 */
export const renewLines = {
  name: "trunk-lines-renew",
  text: `
    INSERT INTO trunk_lines (organization_id, trunk_id, id, lease_until)
    SELECT trunk.organization_id, trunk.id, given.line_id, $4
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS given (owner_id, id, line_id)
    JOIN trunks AS trunk ON trunk.organization_id = ${owners} AND trunk.id = given.id
    ON CONFLICT (organization_id, trunk_id, id) DO UPDATE SET lease_until = excluded.lease_until`,
};

/** By nobody in particular: across organizations. What somebody holds right now is being renewed, or removed. $1 now, $2 too late to be true */
export const deleteAbandoned = {
  name: "trunk-lines-delete-abandoned",
  text: `
    DELETE FROM trunk_lines WHERE (organization_id, trunk_id, id) IN (
      SELECT organization_id, trunk_id, id FROM trunk_lines WHERE lease_until < $1 OR lease_until > $2
      FOR UPDATE SKIP LOCKED)
    RETURNING id`,
};
