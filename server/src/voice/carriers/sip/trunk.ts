import type { Protocol } from "./flow.ts";

/** A SIP server that carries calls for us. */
export interface Trunk {
  id: string;
  /** Null: every organization's. */
  organizationId: string | null;
  name: string;
  /** A name or an IP address, without brackets. */
  host: string;
  /** Null: the protocol's own, or what the name's SRV records tell. */
  port: number | null;
  protocol: Protocol;
  credentials: { username: string; password: string } | null;
  /** How many calls it carries at once, and how many may begin in a second; null: as many as come. */
  channels: number | null;
  callsPerSecond: number | null;
  /** Whether we tell it where we are (REGISTER), so that it can send us calls. */
  register: boolean;
}

/** Where the trunks are kept: features/trunks. */
export interface TrunkSource {
  /** Those that an organization's calls go through, in the order in which they are tried. */
  trunksOf(organizationId: string): Promise<Trunk[]>;
  /** Every trunk of this service: who may call us. */
  allTrunks(): Promise<Trunk[]>;
}
