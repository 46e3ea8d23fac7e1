import { randomBytes } from "node:crypto";
import { FRAME_SAMPLES, type HeardFrame, type MediaLeg } from "../../media/media-leg.ts";
import type { PacketProtection } from "../../media/packet-protection.ts";
import { openRtpLeg, type RtpLegOptions } from "../../media/rtp-leg.ts";
import { createSrtp, SRTP_SECRET_BYTES } from "../../media/srtp.ts";
import {
  type AudioDescription,
  answerDirection,
  type CryptoKey,
  type Direction,
  isUnspecified,
  OFFERED,
  parseSdp,
  writeSdp,
} from "./sdp.ts";

/** A call's audio, and what is said of it in its messages. */
export interface SipMedia {
  readonly leg: MediaLeg;
  offer(): string;
  /** Takes the answer to our offer. @returns false when it is none that we can take part in */
  accept(answer: string): boolean;
  /** @returns our answer to an offer; null when we have nothing in common with it */
  answer(offer: string): string | null;
  close(): void;
}

export interface SipMediaOptions extends Pick<RtpLegOptions, "ports" | "now" | "onError"> {
  /** The IP address to bind. */
  localAddress: string;
  /** The IP address to name. */
  advertisedAddress: string;
  sessionId: number;
  /** Offers protected audio (SRTP) instead of plain. */
  isProtected: boolean;
}

const SILENT: HeardFrame = { samples: new Int16Array(FRAME_SAMPLES), concealed: false };

/** @throws NoRtpPortFree */
export async function openSipMedia(options: SipMediaOptions): Promise<SipMedia> {
  const rtp = await openRtpLeg({
    ...options,
    reports: true,
    payloadType: OFFERED.laws[0],
    telephoneEventPayloadType: OFFERED.telephoneEvent,
  });
  let version = 0;
  let last = "";
  let direction: Direction = "sendrecv";
  /** Ours, made with the first offer or answer that needs it. */
  let own: CryptoKey | null = options.isProtected
    ? { tag: "1", secret: randomBytes(SRTP_SECRET_BYTES) }
    : null;
  let protection: { theirs: Buffer; packets: PacketProtection } | null = null;

  /** The version grows with what is said, and only then (RFC 3264, 8). */
  const describe = (what: Pick<AudioDescription, "laws" | "telephoneEvent"> & Partial<AudioDescription>) => {
    const { laws, telephoneEvent, refused } = what;
    const write = (as: number) =>
      writeSdp({
        sessionId: options.sessionId,
        version: as,
        address: options.advertisedAddress,
        port: rtp.localPort,
        laws,
        telephoneEvent,
        direction: direction === "sendrecv" ? "sendrecv" : answerDirection(direction),
        crypto: own,
        ...(refused ? { refused } : {}),
      });
    if (write(version) !== last) version++;
    last = write(version);
    return last;
  };
  const apply = (theirs: AudioDescription) => {
    direction = theirs.direction;
    // The same key again goes on as it was: its packets are counted.
    if (!theirs.crypto || !own) protection = null;
    else if (!protection?.theirs.equals(theirs.crypto.secret)) {
      const { secret } = theirs.crypto;
      protection = { theirs: secret, packets: createSrtp(own.secret, secret) };
    }
    rtp.negotiated({
      protection: protection?.packets ?? null,
      payloadType: theirs.laws[0]!,
      telephoneEventPayloadType: theirs.telephoneEvent,
    });
    if (!isUnspecified(theirs.address)) rtp.setRemote(theirs);
  };

  return {
    leg: {
      // Who holds the line sends nothing, and is still there.
      receive: () => rtp.receive() ?? (direction === "inactive" || direction === "recvonly" ? SILENT : null),
      send(samples) {
        if (direction === "sendrecv" || direction === "recvonly") rtp.send(samples);
      },
      digitsOutOfBand: rtp.digitsOutOfBand,
      onDigit: rtp.onDigit,
      onFirstAudio: rtp.onFirstAudio,
      stats: rtp.stats,
      close: () => close(),
    },
    offer: () => describe(OFFERED),
    accept(answer) {
      const theirs = parseSdp(answer);
      if (!theirs || (theirs.crypto === null) !== (own === null)) return false;
      apply(theirs);
      return true;
    },
    answer(offer) {
      const theirs = parseSdp(offer);
      if (!theirs) return null;
      const secret = own?.secret ?? randomBytes(SRTP_SECRET_BYTES);
      own = theirs.crypto && { tag: theirs.crypto.tag, secret };
      apply(theirs);
      return describe(theirs);
    },
    close: () => close(),
  };

  function close(): void {
    direction = "sendrecv";
    rtp.close();
  }
}
