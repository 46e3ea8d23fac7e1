const columns = "id, email_address, name, role, created_at, updated_at";

/** Returns nothing when the address is a member's already. */
export const insertMember = {
  name: "member-insert",
  text: `
    INSERT INTO members (organization_id, id, email_address, name, role, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $6)
    ON CONFLICT (organization_id, email_address) DO NOTHING
    RETURNING ${columns}`,
};

/** $1 organization, $2 limit, $3 offset */
export const listMembers = {
  name: "members-list",
  text: `SELECT ${columns} FROM members WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
};

/**
 * The member and every owner, in one order for all: two changes that each take away a different one of the last two
 * owners meet here, and the second sees what the first left.
 */
export const lockMemberAndOwners = {
  name: "members-lock",
  text: `
    SELECT ${columns} FROM members
    WHERE organization_id = $1 AND (id = $2 OR role = 'owner')
    ORDER BY id FOR UPDATE`,
};

export const updateMember = {
  name: "member-update",
  text: `
    UPDATE members SET name = $3, role = $4, updated_at = $5 WHERE organization_id = $1 AND id = $2
    RETURNING ${columns}`,
};

export const deleteMember = {
  name: "member-delete",
  text: "DELETE FROM members WHERE organization_id = $1 AND id = $2",
};
