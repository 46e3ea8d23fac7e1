import { decodeG711, encodeG711 } from "../../media/g711.ts";
import type { MediaSocketDialect, MediaSocketMessage } from "../media-socket/index.ts";
import { member } from "../vendor-request.ts";
import { createChunkOrder } from "./chunk-order.ts";

/**
 * Telnyx's media streaming: JSON, with audio in both directions as `media` with a base64 payload. The order of what it sends isn't
 * guaranteed: chunks are put into theirs.
 * @param options `isOurs`: whether the stream of this call is wanted; `onProblem`: told of each error that Telnyx reports on the
 * socket, by its code
 */
export function createTelnyxDialect(options: {
  isOurs(callControlId: string): boolean;
  onProblem(code: string): void;
}): MediaSocketDialect {
  const order = createChunkOrder();
  let isALaw = false;

  function start(told: unknown): MediaSocketMessage {
    const callControlId = member(told, "call_control_id");
    if (typeof callControlId === "string" && !options.isOurs(callControlId))
      return { type: "start", problem: "it streams another call" };
    const format = member(told, "media_format");
    const encoding = member(format, "encoding") ?? "PCMU";
    const rate = Number(member(format, "sample_rate") ?? 8_000);
    const channels = Number(member(format, "channels") ?? 1);
    // A call whose codec can't be changed into the one that was asked for comes as it is.
    isALaw = encoding === "PCMA";
    const isKnown = (encoding === "PCMU" || isALaw) && rate === 8_000 && channels === 1;
    const name = String(encoding).slice(0, 20);
    return {
      type: "start",
      problem: isKnown
        ? null
        : `it streams ${name} at ${rate} Hz in ${channels} channels, not PCMU at 8000 Hz`,
    };
  }

  function media(given: unknown): MediaSocketMessage {
    const payload = member(given, "payload");
    if (typeof payload !== "string") throw new TypeError("media without a payload");
    // Our own voice, which nobody has asked for.
    if (member(given, "track") === "outbound") return { type: "other" };
    const chunk = Number(member(given, "chunk") ?? Number.NaN);
    const heard = Buffer.concat(order.take(chunk, Buffer.from(payload, "base64")));
    return { type: "audio", payload: isALaw ? encodeG711("pcmu", decodeG711("pcma", heard)) : heard };
  }

  return {
    digitsOutOfBand: true,
    read(text) {
      const message: unknown = JSON.parse(text);
      const event = member(message, "event");
      if (typeof event !== "string") throw new TypeError("no event");
      switch (event) {
        case "start":
          return start(member(message, "start"));
        case "media":
          return media(member(message, "media"));
        case "dtmf":
          return { type: "digit", digit: String(member(member(message, "dtmf"), "digit")) };
        case "mark":
          return { type: "mark", name: String(member(member(message, "mark"), "name")) };
        case "stop":
          return { type: "stop" };
        case "error":
          options.onProblem(String(member(member(message, "payload"), "code") ?? "unknown").slice(0, 20));
          return { type: "other" };
        default:
          // "connected", and what there may be one day.
          return { type: "other" };
      }
    },
    audio: (payload) => JSON.stringify({ event: "media", media: { payload: payload.toString("base64") } }),
    mark: (name) => JSON.stringify({ event: "mark", mark: { name } }),
  };
}
