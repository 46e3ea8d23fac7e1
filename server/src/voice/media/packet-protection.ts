/** What makes packets unreadable to everybody else, each way with a key of its own. */
export interface PacketProtection {
  /** @param bytes a packet of RTP @returns what is sent */
  protect(bytes: Buffer): Buffer;
  /** @returns the packet, or null when it isn't the far side's */
  unprotect(bytes: Buffer): Buffer | null;
  protectReport(bytes: Buffer): Buffer;
  unprotectReport(bytes: Buffer): Buffer | null;
}
