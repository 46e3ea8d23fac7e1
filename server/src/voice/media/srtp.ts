import { ProtectionProfileAes128CmHmacSha1_80, RtpPacket, SrtcpSession, SrtpSession } from "werift";
import type { PacketProtection } from "./packet-protection.ts";

const SRTP_KEY_BYTES = 16;
const SRTP_SALT_BYTES = 14;
/** What is told of a key: itself and its salt. */
export const SRTP_SECRET_BYTES = SRTP_KEY_BYTES + SRTP_SALT_BYTES;

/**
 * SRTP with AES_CM_128_HMAC_SHA1_80 (RFC 3711).
 * @param ours what our packets are sent with, `theirs` what the far side's are: 30 bytes each
 */
export function createSrtp(ours: Buffer, theirs: Buffer): PacketProtection {
  const config = {
    keys: {
      localMasterKey: ours.subarray(0, SRTP_KEY_BYTES),
      localMasterSalt: ours.subarray(SRTP_KEY_BYTES, SRTP_SECRET_BYTES),
      remoteMasterKey: theirs.subarray(0, SRTP_KEY_BYTES),
      remoteMasterSalt: theirs.subarray(SRTP_KEY_BYTES, SRTP_SECRET_BYTES),
    },
    profile: ProtectionProfileAes128CmHmacSha1_80,
  };
  const audio = new SrtpSession(config);
  const reports = new SrtcpSession(config);
  return {
    protect(bytes) {
      const { header, payload } = RtpPacket.deSerialize(bytes);
      return audio.encrypt(payload, header);
    },
    unprotect: (bytes) => orNull(() => audio.decrypt(bytes)),
    protectReport: (bytes) => reports.encrypt(bytes),
    unprotectReport: (bytes) => orNull(() => reports.decrypt(bytes)),
  };
}

/** What isn't the far side's, or was changed on the way, can't be read. */
function orNull(read: () => Buffer): Buffer | null {
  try {
    return read();
  } catch {
    return null;
  }
}
