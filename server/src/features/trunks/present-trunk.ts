import { hostText, type Protocol, type Trunk } from "../../voice/carriers/sip/index.ts";
import type { TrunkRecord } from "./trunks.schema.ts";

export interface TrunkRow {
  id: string;
  owner_id: string | null;
  name: string;
  host: string;
  port: number | null;
  transport: Protocol;
  username: string | null;
  channels: number | null;
  calls_per_second: number | null;
  priority: number;
  register: boolean;
  created_at: string;
}

/** With what only the carrier may see. */
export interface SecretTrunkRow extends TrunkRow {
  password: string | null;
}

export function presentTrunk(row: TrunkRow): TrunkRecord {
  return {
    id: row.id,
    organization_id: row.owner_id,
    name: row.name,
    uri: `sip:${hostText(row.host)}${row.port === null ? "" : `:${row.port}`}`,
    transport: row.transport,
    username: row.username,
    channels: row.channels,
    cps: row.calls_per_second,
    priority: row.priority,
    register: row.register,
    created_at: row.created_at,
  };
}

/** As the carrier takes it. */
export function dialable(row: SecretTrunkRow): Trunk {
  return {
    id: row.id,
    organizationId: row.owner_id,
    name: row.name,
    host: row.host,
    port: row.port,
    protocol: row.transport,
    credentials:
      row.username === null || row.password === null
        ? null
        : { username: row.username, password: row.password },
    channels: row.channels,
    callsPerSecond: row.calls_per_second,
    register: row.register,
  };
}
