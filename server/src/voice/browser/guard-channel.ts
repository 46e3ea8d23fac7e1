import type { RTCSctpTransport } from "werift";
import { readSctpPacket } from "./sctp-packet.ts";

/** So far ahead of what has arrived may a packet be: the stack sorts all that is missing again for each. */
const FURTHEST_AHEAD = 1_024;

/** What is used here of the stack's association; its types keep it private. */
interface Association {
  transport: { onData: (data: Buffer) => void };
  handleData(data: Buffer): Promise<void>;
  lastReceivedTsn?: number;
  /** How many more bytes it has room for. */
  advertisedRwnd: number;
}

/**
 * Stands between a page's data channel and the stack, which trusts the page: passes on what is sound and what there is room for,
 * and takes what the stack throws, which nobody awaits otherwise and which would end the process.
 * @param onError told once: a page can send as many bad packets as it likes
 */
export function guardChannel(channel: RTCSctpTransport, onError: (error: unknown) => void): void {
  const association = channel.sctp as unknown as Association;
  const take = association.handleData.bind(association);
  let told = false;
  association.transport.onData = (data) => {
    const numbers = readSctpPacket(data);
    if (numbers === null) return;
    const { lastReceivedTsn, advertisedRwnd } = association;
    if (numbers.length > 0 && advertisedRwnd <= 0) return;
    // Modulo 2^32; one that has arrived already is as far behind.
    const isNear = (tsn: number) => ((tsn - (lastReceivedTsn ?? 0)) | 0) <= FURTHEST_AHEAD;
    if (!numbers.every(isNear)) return;
    take(data).catch((error: unknown) => {
      if (told) return;
      told = true;
      onError(error);
    });
  };
}
