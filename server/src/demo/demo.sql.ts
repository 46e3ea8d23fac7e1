/** Lets one starter at a time look and make, until its transaction ends. The number is this lock's own, picked at random. */
export const lockDemo = { name: "demo-lock", text: "SELECT pg_advisory_xact_lock(4207661932)" };

/** Runs across organizations: the demo is made only where there is none at all. */
export const anyOrganization = {
  name: "demo-any-organization",
  text: "SELECT EXISTS (SELECT FROM organizations) AS found",
};
