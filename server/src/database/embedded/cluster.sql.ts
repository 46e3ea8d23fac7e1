/** The role and the database that the service works with. */
export const ROLE = "outreach";
export const DATABASE = "outreach";

/** Exists in every cluster; the place to stand on while the service's own is made. */
export const MAINTENANCE_DATABASE = "postgres";

export const createDatabase = `CREATE DATABASE ${DATABASE}`;
