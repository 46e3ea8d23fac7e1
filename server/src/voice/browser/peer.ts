import { isIPv6 } from "node:net";
import {
  type MediaStreamTrack,
  type PeerConfig,
  type RTCDataChannel,
  RTCDtlsTransport,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RtpHeader,
  RtpPacket,
} from "werift";
import type { G711Law } from "../media/g711.ts";
import { InvalidOffer } from "../session/voice-plane.ts";
import type { BrowserMessage } from "./browser-leg.ts";
import { type AudioPacket, PAYLOAD_TYPES } from "./browser-media.ts";
import { guardChannel } from "./guard-channel.ts";
import { isOwnAddress } from "./media-addresses.ts";
import { readPageMessage } from "./page-messages.ts";

/** A peer connection of the WebRTC stack. Loading this file loads the stack. */
export interface Peer {
  /** @throws InvalidOffer */
  answer(offer: string): Promise<string>;
  /** @returns false when the channel isn't open */
  sendText(text: string): boolean;
  /** @param farewellMs so long at most it waits for the page to take what was sent within this time */
  close(farewellMs: number): Promise<void>;
}

export interface PeerOptions {
  addresses: readonly string[];
  ports: { from: number; to: number };
  onError(error: unknown): void;
  /** Anything at all came from the page. */
  onHeard(): void;
  onPacket(packet: AudioPacket & { ssrc: number }): void;
  onConnected(send: (packet: AudioPacket) => void, law: G711Law): void;
  onChannelOpen(): void;
  onMessage(message: BrowserMessage): void;
  /** The page ended the connection, or it failed. */
  onClosed(): void;
}

const PORTS_TRIED = 100;

/**
 * After its handshake the stack counts its encrypted records from 1 again, where the last of the handshake had a number
 * already. The page drops the second record of that number as a replay (a message came a second late), and no key may see
 * one number twice. So the count goes on here, far beyond the handshake's.
 */
const FIRST_RECORD = 1_000_000;

/** The channel that the page opens for what isn't audio. */
const CHANNEL = "events";

const CODECS = [
  new RTCRtpCodecParameters({
    mimeType: "audio/PCMU",
    clockRate: 8_000,
    channels: 1,
    payloadType: PAYLOAD_TYPES.pcmu,
  }),
  new RTCRtpCodecParameters({
    mimeType: "audio/PCMA",
    clockRate: 8_000,
    channels: 1,
    payloadType: PAYLOAD_TYPES.pcma,
  }),
];

/** Made once in a process, with the first call of this. */
export async function prepareCertificate(): Promise<void> {
  await RTCDtlsTransport.SetupCertificate();
}

export function createPeer(options: PeerOptions): Peer {
  /** What the page's connectivity checks are signed with: the name of our answer and that of its offer. */
  let checkName: string | null = null;
  let channel: RTCDataChannel | null = null;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  let closed = false;

  const connection = new RTCPeerConnection({
    codecs: { audio: CODECS },
    headerExtensions: {},
    bundlePolicy: "max-bundle",
    maxMessageSize: 4_096,
    // The service has an address of its own: it answers checks, and sends none.
    iceLite: true,
    iceServers: [],
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceUseTcp: false,
    iceAdditionalHostAddresses: [...options.addresses],
    ...bindingOf(options.addresses),
    icePortRange: somePorts(options.ports),
    // The stack doesn't verify the signature of a check. That both names in it are right says as much: they were exchanged
    // by HTTPS, and without this a stranger who finds the port could take the connection over (though not its audio).
    iceFilterStunResponse: (message) => {
      const isPages = checkName !== null && message.getAttributeValue("USERNAME") === checkName;
      if (isPages) options.onHeard();
      return isPages;
    },
  });

  const transportConnected = (transport: RTCDtlsTransport) => {
    if (closed) return;
    if (transport.dtls) transport.dtls.dtls.recordSequenceNumber = FIRST_RECORD;
    const sender = connection.getSenders()[0]!;
    const law = sender.codec?.payloadType === PAYLOAD_TYPES.pcma ? "pcma" : "pcmu";
    options.onConnected((packet) => {
      const header = new RtpHeader({
        payloadType: packet.payloadType,
        sequenceNumber: packet.sequenceNumber,
        timestamp: packet.timestamp,
      });
      sender.sendRtp(new RtpPacket(header, packet.payload)).catch(options.onError);
    }, law);
  };
  connection.connectionStateChange.subscribe((state) => {
    if (!closed && (state === "failed" || state === "closed" || state === "disconnected")) options.onClosed();
  });
  connection.onTrack.subscribe((track: MediaStreamTrack) => {
    track.onReceiveRtp.subscribe(({ header, payload }) => {
      options.onHeard();
      options.onPacket({
        ssrc: header.ssrc,
        payloadType: header.payloadType,
        sequenceNumber: header.sequenceNumber,
        timestamp: header.timestamp,
        payload,
      });
    });
  });
  connection.onDataChannel.subscribe((opened) => {
    if (opened.label !== CHANNEL || channel) return;
    channel = opened;
    opened.onMessage.subscribe((data) => {
      const message = readPageMessage(data);
      if (message) options.onMessage(message);
    });
    opened.stateChange.subscribe((state) => {
      if (closed) return;
      if (state === "open") options.onChannelOpen();
      else if (state === "closed") options.onClosed();
    });
    if (opened.readyState === "open") options.onChannelOpen();
  });

  return {
    async answer(offer) {
      try {
        connection.addTransceiver("audio", { direction: "sendrecv" });
        await connection.setRemoteDescription({ type: "offer", sdp: offer });
        if (connection.sctpTransport) guardChannel(connection.sctpTransport, options.onError);
        for (const transport of connection.dtlsTransports) {
          transport.onStateChange.subscribe((state) => {
            if (state === "connected") transportConnected(transport);
          });
        }
        const answer = await connection.createAnswer();
        checkName = `${iceName(answer.sdp)}:${iceName(offer)}`;
        await connection.setLocalDescription(answer);
      } catch (cause) {
        options.onError(cause);
        throw new InvalidOffer("The offer can't be answered.", { cause });
      }
      return withLiteInSession(connection.localDescription!.sdp);
    },
    sendText(text) {
      if (channel?.readyState !== "open") return false;
      channel.send(text);
      lastSentAt = performance.now();
      return true;
    },
    async close(farewellMs) {
      if (closed) return;
      closed = true;
      if (channel?.readyState === "open" && performance.now() - lastSentAt < farewellMs)
        await left(channel, farewellMs);
      await connection.close();
    },
  };
}

/** The stack says `a=ice-lite` of each medium, where browsers don't look for it (RFC 8839, 5.3): they'd take longer to agree. */
function withLiteInSession(sdp: string): string {
  return sdp.replaceAll("a=ice-lite\r\n", "").replace("t=0 0\r\n", "t=0 0\r\na=ice-lite\r\n");
}

function iceName(sdp: string): string | undefined {
  return /^a=ice-ufrag:(\S+)/m.exec(sdp)?.[1];
}

/** To the one address of this machine's own where there is one, else to all of them. */
function bindingOf([address, ...others]: readonly string[]): Partial<PeerConfig> {
  if (address === undefined || others.length > 0 || !isOwnAddress(address)) return {};
  return { iceInterfaceAddresses: isIPv6(address) ? { udp6: address } : { udp4: address } };
}

/** From anywhere in the range on: the stack tries one port after the other, and the first ones are taken by earlier calls. */
function somePorts({ from, to }: { from: number; to: number }): [number, number] {
  const first = from + Math.floor(Math.random() * (to - from));
  return [first, Math.min(to, first + PORTS_TRIED)];
}

/** Resolves when the page has closed the channel, as it does after the last message, or when the time is up. */
function left(channel: RTCDataChannel, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    channel.stateChange.subscribe((state) => {
      if (state !== "closed") return;
      clearTimeout(timer);
      resolve();
    });
  });
}
