import type { MediaSocketDialect, MediaSocketMessage } from "../media-socket/index.ts";
import { member } from "../vendor-request.ts";

/**
 * Twilio's Media Streams, both ways: JSON with the stream's id, audio as `media` with a base64 payload.
 * @param isExpected whether the stream of this call is the one that was asked for; told once
 */
export function createTwilioDialect({
  accountSid,
  isExpected,
}: {
  accountSid: string;
  isExpected(callSid: string): boolean;
}): MediaSocketDialect {
  let streamSid: string | null = null;

  function start(message: unknown): MediaSocketMessage {
    const told = member(message, "start");
    const sid = member(told, "streamSid") ?? member(message, "streamSid");
    const callSid = member(told, "callSid");
    if (typeof sid !== "string" || typeof callSid !== "string") throw new TypeError("a start without ids");
    const format = member(told, "mediaFormat");
    const encoding = String(member(format, "encoding")).slice(0, 20);
    const rate = Number(member(format, "sampleRate"));
    const channels = Number(member(format, "channels"));
    streamSid = sid;
    if (member(told, "accountSid") !== accountSid || !isExpected(callSid))
      return { type: "start", problem: "it streams another call" };
    const isKnown = encoding === "audio/x-mulaw" && rate === 8_000 && channels === 1;
    return {
      type: "start",
      problem: isKnown ? null : `it streams ${encoding} at ${rate} Hz in ${channels} channels`,
    };
  }

  function media(told: unknown): MediaSocketMessage {
    const payload = member(told, "payload");
    if (typeof payload !== "string") throw new TypeError("media without a payload");
    // Our own voice, which nobody has asked for.
    if (member(told, "track") === "outbound") return { type: "other" };
    return { type: "audio", payload: Buffer.from(payload, "base64") };
  }

  return {
    digitsOutOfBand: true,
    read(text) {
      const message: unknown = JSON.parse(text);
      const event = member(message, "event");
      if (typeof event !== "string") throw new TypeError("no event");
      if (event === "start") return start(message);
      const of = member(message, "streamSid");
      if (of !== undefined && of !== streamSid) throw new TypeError("of another stream");
      switch (event) {
        case "media":
          return media(member(message, "media"));
        case "dtmf":
          return { type: "digit", digit: String(member(member(message, "dtmf"), "digit")) };
        case "mark":
          return { type: "mark", name: String(member(member(message, "mark"), "name")) };
        case "stop":
          return { type: "stop" };
        default:
          // "connected", and what there may be one day.
          return { type: "other" };
      }
    },
    audio: (payload) =>
      JSON.stringify({ event: "media", streamSid, media: { payload: payload.toString("base64") } }),
    mark: (name) => JSON.stringify({ event: "mark", streamSid, mark: { name } }),
  };
}
