import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { WebSocket } from "ws";
import { decodeG711, encodeG711 } from "../../voice/media/g711.ts";
import { FRAME_MS, FRAME_SAMPLES } from "../../voice/media/media-leg.ts";

/** Telnyx's end of one call's media streaming. */
export interface TelnyxStream {
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
  /** Sends this text. */
  raw(text: string): void;
  /** Sends the next chunks in this order, by their places: `[1, 0]` swaps the next two. */
  shuffle(order: readonly number[]): void;
  isOpen(): boolean;
  /** Says that it ends, and closes. */
  stop(): void;
  /** Breaks the connection. */
  drop(): void;
}

export interface StreamOptions {
  encoding?: string;
  sampleRate?: number;
  /** Of another call. */
  call_control_id?: string;
}

const SILENCE = new Int16Array(FRAME_SAMPLES);

/** @returns once the socket is open and the start has been told; throws when it is refused */
export async function openTelnyxStream(
  socket: WebSocket,
  call: StreamOptions & { call_control_id: string; from: string; to: string },
): Promise<TelnyxStream> {
  const streamId = randomUUID();
  const law = call.encoding === "PCMA" ? "pcma" : "pcmu";
  const heard: number[] = [];
  const mistakes: string[] = [];
  const unsaid: Int16Array[] = [];
  let sequence = 0;
  let chunk = 0;
  let held: string[] = [];
  let order: readonly number[] = [];

  socket.on("error", () => undefined);
  socket.on("message", (data, isBinary) => {
    const mistake = isBinary ? "a binary message" : take(data.toString());
    if (mistake !== null) mistakes.push(mistake);
  });

  function take(text: string): string | null {
    const message = JSON.parse(text) as Record<string, unknown>;
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
    if (bytes.toString("base64") !== payload) return "a payload that isn't base64";
    // 20 milliseconds to 30 seconds.
    if (bytes.length < FRAME_SAMPLES || bytes.length > 30 * 8_000) return `${bytes.length} bytes of audio`;
    for (let at = 0; at < bytes.length; at += FRAME_SAMPLES)
      heard.push(loudest(decodeG711("pcmu", bytes.subarray(at, at + FRAME_SAMPLES))));
    return null;
  }

  const text = (event: string, fields: object) =>
    JSON.stringify({ event, sequence_number: String(++sequence), ...fields, stream_id: streamId });
  const write = (message: string) => {
    if (socket.readyState === socket.OPEN) socket.send(message);
  };
  const send = (event: string, fields: object) => write(text(event, fields));

  await Promise.race([
    once(socket, "open"),
    once(socket, "unexpected-response").then(([, response]) => {
      throw new Error(`refused with ${(response as { statusCode: number }).statusCode}`);
    }),
  ]);
  write(JSON.stringify({ event: "connected", version: "1.0.0" }));
  send("start", {
    start: {
      user_id: "3e6f995f-85f7-4705-9741-53b116d28237",
      call_control_id: call.call_control_id,
      from: call.from,
      to: call.to,
      media_format: {
        encoding: call.encoding ?? "PCMU",
        sample_rate: call.sampleRate ?? 8_000,
        channels: 1,
      },
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
    key: (digit) => send("dtmf", { occurred_at: new Date(0).toISOString(), dtmf: { digit } }),
    tick() {
      const payload = Buffer.from(encodeG711(law, unsaid.shift() ?? SILENCE)).toString("base64");
      const media = {
        track: "inbound",
        chunk: String(++chunk),
        timestamp: String(chunk * FRAME_MS),
        payload,
      };
      const message = text("media", { media });
      if (order.length === 0) return write(message);
      held.push(message);
      if (held.length < order.length) return;
      for (const at of order) write(held[at]!);
      held = [];
      order = [];
    },
    unsaidMs: () => unsaid.length * FRAME_MS,
    heard,
    mistakes,
    raw: write,
    shuffle(given) {
      order = given;
    },
    isOpen: () => socket.readyState === socket.OPEN,
    stop() {
      send("stop", { stop: { user_id: "", call_control_id: call.call_control_id } });
      socket.close();
    },
    drop: () => socket.terminate(),
  };
}

function loudest(samples: Int16Array): number {
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
}
