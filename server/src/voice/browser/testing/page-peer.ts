import {
  MediaStreamTrack,
  type RTCDataChannel,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RtpHeader,
} from "werift";
import { decodeG711, encodeG711 } from "../../media/g711.ts";
import { FRAME_SAMPLES } from "../../media/media-leg.ts";
import type { BrowserLeg } from "../browser-leg.ts";

/** What a page is to a leg, without a browser: the other end of the connection, in this process. */
export interface PagePeer {
  connection: RTCPeerConnection;
  channel: RTCDataChannel;
  /** Every frame that reached it, oldest first. */
  heard: Int16Array[];
  /** 20 ms of audio, or any payload that isn't. */
  say(samples: Int16Array): void;
  sendPacket(packet: { payloadType?: number; payload: Buffer }): void;
  close(): Promise<void>;
}

/** Connects a page with a leg: ICE, DTLS and the channel. */
export async function connectPage(leg: Pick<BrowserLeg, "connect">): Promise<PagePeer> {
  const connection = new RTCPeerConnection({
    codecs: {
      audio: [
        new RTCRtpCodecParameters({ mimeType: "audio/PCMU", clockRate: 8_000, channels: 1, payloadType: 0 }),
        // Never used; with it the peer lets packets of another type pass.
        new RTCRtpCodecParameters({ mimeType: "audio/PCMA", clockRate: 8_000, channels: 1, payloadType: 8 }),
      ],
    },
    headerExtensions: {},
    bundlePolicy: "max-bundle",
    iceServers: [],
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceUseTcp: false,
    iceAdditionalHostAddresses: ["127.0.0.1"],
    iceInterfaceAddresses: { udp4: "127.0.0.1" },
  });
  const heard: Int16Array[] = [];
  connection.onTrack.subscribe((track) => {
    track.onReceiveRtp.subscribe(({ payload }) => void heard.push(decodeG711("pcmu", payload)));
  });
  const channel = connection.createDataChannel("events");
  const { sender } = connection.addTransceiver(new MediaStreamTrack({ kind: "audio" }), {
    direction: "sendrecv",
  });
  const opened = new Promise<void>((resolve) => {
    channel.stateChange.subscribe((state) => {
      if (state === "open") resolve();
    });
  });
  await connection.setLocalDescription(await connection.createOffer());
  const answer = await leg.connect(connection.localDescription!.sdp);
  await connection.setRemoteDescription({ type: "answer", sdp: answer });
  await opened;

  let sequenceNumber = 65_530;
  let timestamp = 0xffff_ff00;
  const sendPacket: PagePeer["sendPacket"] = ({ payloadType = 0, payload }) => {
    sequenceNumber = (sequenceNumber + 1) & 0xffff;
    timestamp = (timestamp + FRAME_SAMPLES) >>> 0;
    void connection.dtlsTransports[0]!.sendRtp(
      payload,
      new RtpHeader({ payloadType, sequenceNumber, timestamp, ssrc: sender.ssrc }),
    );
  };
  return {
    connection,
    channel,
    heard,
    say: (samples) => sendPacket({ payload: Buffer.from(encodeG711("pcmu", samples)) }),
    sendPacket,
    close: () => connection.close(),
  };
}
