import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { WebSocket } from "ws";
import { decodeG711, encodeG711 } from "../../voice/media/g711.ts";
import { FRAME_MS, FRAME_SAMPLES } from "../../voice/media/media-leg.ts";

/** Twilio's end of one call's media stream. */
export interface TwilioStream {
  /** Speaks for so long, of this loudness; queued behind what is being said. Otherwise it is silent. */
  speak(milliseconds: number, amplitude: number): void;
  /** Speaks these samples. */
  say(samples: Int16Array): void;
  key(digit: string): void;
  /** 20 ms are sent. */
  tick(): void;
  /** How much is still to be said, milliseconds. */
  unsaidMs(): number;
  /** Every 20 ms that were heard, oldest first: the loudest sample. */
  readonly heard: readonly number[];
  /** What came that isn't a message of the protocol. */
  readonly mistakes: readonly string[];
  raw(text: string | Buffer): void;
  isOpen(): boolean;
  /** Says that it ends, and closes. */
  stop(): void;
  /** Breaks the connection. */
  drop(): void;
}

export interface StreamOptions {
  accountSid: string;
  callSid: string;
  mediaFormat?: { encoding: string; sampleRate: number; channels: number };
}

const SILENCE = new Int16Array(FRAME_SAMPLES);
const MEDIA_FORMAT = { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 };

/** @returns once the socket is open and the start has been told; throws when it is refused */
export async function openTwilioStream(socket: WebSocket, call: StreamOptions): Promise<TwilioStream> {
  const streamSid = `MZ${randomBytes(16).toString("hex")}`;
  const heard: number[] = [];
  const mistakes: string[] = [];
  const unsaid: Int16Array[] = [];
  let sequence = 0;
  let chunk = 0;

  socket.on("error", () => undefined);
  socket.on("message", (data, isBinary) => {
    const mistake = isBinary ? "a binary message" : take(data.toString());
    if (mistake !== null) mistakes.push(mistake);
  });

  function take(text: string): string | null {
    const message = JSON.parse(text) as Record<string, unknown>;
    if (message.streamSid !== streamSid) return `of the stream ${String(message.streamSid)}`;
    if (message.event === "mark") {
      const { name } = message.mark as { name?: unknown };
      if (typeof name !== "string") return "a mark without a name";
      send("mark", { mark: { name } });
      return null;
    }
    if (message.event === "clear") return null;
    if (message.event !== "media") return `an event ${String(message.event)}`;
    const { payload, ...more } = message.media as { payload?: unknown };
    if (typeof payload !== "string" || Object.keys(more).length > 0) return "media that isn't one payload";
    const bytes = Buffer.from(payload, "base64");
    if (bytes.length === 0 || bytes.toString("base64") !== payload) return "a payload that isn't base64";
    for (let at = 0; at < bytes.length; at += FRAME_SAMPLES)
      heard.push(loudest(decodeG711("pcmu", bytes.subarray(at, at + FRAME_SAMPLES))));
    return null;
  }

  const write = (message: string | Buffer) => {
    if (socket.readyState === socket.OPEN) socket.send(message);
  };
  const send = (event: string, fields: object) =>
    write(JSON.stringify({ event, sequenceNumber: String(++sequence), ...fields, streamSid }));

  await Promise.race([
    once(socket, "open"),
    once(socket, "unexpected-response").then(([, response]) => {
      throw new Error(`refused with ${(response as { statusCode: number }).statusCode}`);
    }),
  ]);
  write(JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }));
  send("start", {
    start: {
      accountSid: call.accountSid,
      streamSid,
      callSid: call.callSid,
      tracks: ["inbound"],
      mediaFormat: call.mediaFormat ?? MEDIA_FORMAT,
      customParameters: {},
    },
  });

  return {
    speak(milliseconds, amplitude) {
      for (let said = 0; said < milliseconds; said += FRAME_MS)
        unsaid.push(Int16Array.from(SILENCE, (_, at) => (at % 2 ? amplitude : -amplitude)));
    },
    say(samples) {
      for (let at = 0; at < samples.length; at += FRAME_SAMPLES) {
        const frame = new Int16Array(FRAME_SAMPLES);
        frame.set(samples.subarray(at, at + FRAME_SAMPLES));
        unsaid.push(frame);
      }
    },
    key: (digit) => send("dtmf", { dtmf: { track: "inbound_track", digit } }),
    tick() {
      const payload = Buffer.from(encodeG711("pcmu", unsaid.shift() ?? SILENCE)).toString("base64");
      const media = {
        track: "inbound",
        chunk: String(++chunk),
        timestamp: String(chunk * FRAME_MS),
        payload,
      };
      send("media", { media });
    },
    unsaidMs: () => unsaid.length * FRAME_MS,
    heard,
    mistakes,
    raw: write,
    isOpen: () => socket.readyState === socket.OPEN,
    stop() {
      send("stop", { stop: { accountSid: call.accountSid, callSid: call.callSid } });
      socket.close();
    },
    drop: () => socket.terminate(),
  };
}

function loudest(samples: Int16Array): number {
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
}
