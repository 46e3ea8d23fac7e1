export const PREFIX = "outreach_";

/** Channel names are this code's own constants. */
export const listen = (channel: string) => `LISTEN ${PREFIX}${channel}`;

export const notify = { name: "notify", text: "SELECT pg_notify($1, $2)" };
