import { isIP } from "node:net";
import type { G711Law } from "../../media/g711.ts";
import { header, headerList, type SipRequest } from "./message.ts";

/** What one side offers or answers for a call's audio: RFC 3264 and 4566, as far as G.711 needs it. */
export interface AudioDescription {
  address: string;
  port: number;
  /** In the order of preference. */
  laws: readonly G711Law[];
  /** Of telephone-event; null when it isn't understood. */
  telephoneEvent: number | null;
  direction: Direction;
  /** The key that its packets are protected with (RTP/SAVP, RFC 4568); null: they travel in the clear. */
  crypto: CryptoKey | null;
  /** The other media, which we take no part in: their lines as an answer refuses them. */
  refused: { before: readonly string[]; after: readonly string[] };
}

export interface CryptoKey {
  /** Which of the offered keys it is, or answers. */
  tag: string;
  /** Key and salt of AES_CM_128_HMAC_SHA1_80. */
  secret: Buffer;
}

export type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";

const STATIC: Readonly<Record<string, G711Law>> = { "0": "pcmu", "8": "pcma" };
const PAYLOAD_TYPES: Readonly<Record<G711Law, number>> = { pcmu: 0, pcma: 8 };
const NAMES: Readonly<Record<G711Law, string>> = { pcmu: "PCMU", pcma: "PCMA" };
const DIRECTION = /^(sendrecv|sendonly|recvonly|inactive)$/;
const OURS_EVENT = 101;
const SDP = "application/sdp";

/**
 * @returns null when there is no audio over RTP that we could take part in: no address, no G.711, only encrypted
 */
export function parseSdp(text: string): AudioDescription | null {
  const lines = text.split(/\r?\n/).map((line) => /^([a-z])=(.*)$/.exec(line.trim()));
  let section: "session" | "audio" | "other" = "session";
  let sessionAddress: string | null = null;
  let address: string | null = null;
  let direction: Direction = "sendrecv";
  let port = 0;
  let formats: string[] = [];
  const maps = new Map<string, string>();
  let found = false;
  let isProtected = false;
  let crypto: CryptoKey | null = null;
  const before: string[] = [];
  const after: string[] = [];
  for (const line of lines) {
    const [, type, value = ""] = line ?? [];
    if (type === "m") {
      const [, kind, portText, profile, list = ""] =
        /^(\S+)\s+(\d{1,5})(?:\/\d+)?\s+(\S+)\s*(.*)$/.exec(value) ?? [];
      const isAudio =
        kind === "audio" &&
        (profile === "RTP/AVP" || profile === "RTP/SAVP") &&
        Number(portText) > 0 &&
        !found;
      section = isAudio ? "audio" : "other";
      if (!isAudio) {
        (found ? after : before).push(`m=${kind ?? "audio"} 0 ${profile ?? "RTP/AVP"} ${list.trim() || "0"}`);
        continue;
      }
      found = true;
      isProtected = profile === "RTP/SAVP";
      port = Number(portText);
      formats = list.trim().split(/\s+/);
    } else if (type === "c" && section !== "other") {
      const told = /^IN\s+IP[46]\s+([^\s/]+)/.exec(value)?.[1] ?? null;
      if (section === "session") sessionAddress = told;
      else address = told;
    } else if (type === "a" && section !== "other") {
      if (DIRECTION.test(value)) direction = value as Direction;
      if (section === "audio") crypto ??= readCrypto(value);
      const [, format, encoding] = /^rtpmap:(\d{1,3})\s+(\S+)/.exec(value) ?? [];
      if (format !== undefined && encoding !== undefined) maps.set(format, encoding.toUpperCase());
    }
  }
  const reached = address ?? sessionAddress;
  if (!found || reached === null || isIP(reached) === 0 || port > 65_535) return null;
  const laws = formats.flatMap((format) => STATIC[format] ?? []);
  const event = formats.find((format) => /^TELEPHONE-EVENT\/8000/.test(maps.get(format) ?? ""));
  if (laws.length === 0 || (isProtected && !crypto)) return null;
  // How calls were put on hold before there were directions.
  if (isUnspecified(reached)) direction = "inactive";
  const telephoneEvent =
    event !== undefined && Number(event) >= 96 && Number(event) <= 127 ? Number(event) : null;
  return {
    address: reached,
    port,
    laws,
    telephoneEvent,
    direction,
    crypto: isProtected ? crypto : null,
    refused: { before, after },
  };
}

const CRYPTO = /^crypto:(\d{1,9})\s+AES_CM_128_HMAC_SHA1_80\s+inline:([A-Za-z0-9+/]{40})(\|\S*)?\s*$/;

/** A key with an index (MKI) or session parameters of its own isn't understood. */
function readCrypto(value: string): CryptoKey | null {
  const [, tag, secret, lifetime = ""] = CRYPTO.exec(value) ?? [];
  if (tag === undefined || secret === undefined || lifetime.includes(":")) return null;
  return { tag, secret: Buffer.from(secret, "base64") };
}

export function isUnspecified(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** @returns why a request's body or what it wants for an answer isn't for us: no SDP; null when it is */
export function unacceptable(request: SipRequest): readonly [status: number, reason: string] | null {
  const type = header(request, "content-type") ?? SDP;
  const isEncoded = headerList(request, "content-encoding").some((name) => name.toLowerCase() !== "identity");
  if (request.body.length > 0 && (isEncoded || !/^application\/sdp\s*(;|$)/i.test(type)))
    return [415, "Unsupported Media Type"];
  const wanted = headerList(request, "accept").map((range) => range.split(";")[0]!.trim().toLowerCase());
  if (wanted.length > 0 && !wanted.some((range) => [SDP, "application/*", "*/*"].includes(range)))
    return [406, "Not Acceptable"];
  return null;
}

/** What we say of our end. `version` grows with each that differs. */
export function writeSdp(ours: {
  sessionId: number;
  version: number;
  address: string;
  port: number;
  laws: readonly G711Law[];
  telephoneEvent: number | null;
  direction: Direction;
  crypto: CryptoKey | null;
  refused?: AudioDescription["refused"];
}): string {
  const family = isIP(ours.address) === 6 ? "IP6" : "IP4";
  const event = ours.telephoneEvent;
  const formats = [...ours.laws.map((law) => PAYLOAD_TYPES[law]), ...(event === null ? [] : [event])];
  return [
    "v=0",
    `o=outreach ${ours.sessionId} ${ours.version} IN ${family} ${ours.address}`,
    "s=-",
    `c=IN ${family} ${ours.address}`,
    "t=0 0",
    ...(ours.refused?.before ?? []),
    `m=audio ${ours.port} RTP/${ours.crypto ? "SAVP" : "AVP"} ${formats.join(" ")}`,
    ...ours.laws.map((law) => `a=rtpmap:${PAYLOAD_TYPES[law]} ${NAMES[law]}/8000`),
    ...(event === null ? [] : [`a=rtpmap:${event} telephone-event/8000`, `a=fmtp:${event} 0-15`]),
    ...(ours.crypto
      ? [
          `a=crypto:${ours.crypto.tag} AES_CM_128_HMAC_SHA1_80 inline:${ours.crypto.secret.toString("base64")}`,
        ]
      : []),
    "a=ptime:20",
    `a=${ours.direction}`,
    ...(ours.refused?.after ?? []),
    "",
  ].join("\r\n");
}

export const OFFERED = { laws: ["pcmu", "pcma"], telephoneEvent: OURS_EVENT } as const;

export function answerDirection(offered: Direction): Direction {
  if (offered === "sendonly") return "recvonly";
  if (offered === "recvonly") return "sendonly";
  return offered;
}
