import type { SipMessage } from "./message.ts";

export const PROTOCOLS = ["udp", "tcp", "tls"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Where messages go: an address over UDP, or a connection. */
export interface SipFlow {
  readonly protocol: Protocol;
  readonly remote: { address: string; port: number };
  /** How we are reached over it, as Via and Contact name us. */
  readonly local: { address: string; port: number };
  /** False when a connection has gone. */
  isOpen(): boolean;
  /** Resolves when the message is on its way. Rejects when it can't be sent. */
  send(message: SipMessage): Promise<void>;
}

/** The address that a SIP server listens at. */
export interface Target {
  protocol: Protocol;
  /** An IP address. */
  address: string;
  port: number;
  /** The name that its certificate has to be for. */
  serverName: string;
}
