-- Lists of calls that ended in one way: a rare one would be looked for among all calls of the organization.
CREATE INDEX calls_by_end ON calls (organization_id, status, created_at DESC, id DESC) WHERE ended_at IS NOT NULL;
