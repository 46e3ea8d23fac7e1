import { isIP } from "node:net";
import { type EngineConfig, readEngines } from "./engine-config.ts";
import { readVendors, type VendorConfig } from "./vendor-config.ts";
import type { IceServer } from "./voice/browser/browser-leg.ts";

/** Where recordings are kept, when it isn't in DATA_DIR. */
export interface RecordingsS3Config {
  /** The store's address, without the bucket. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Before every key; empty or ending in a slash. */
  prefix: string;
}

/** What the environment decides about calls. */
export interface VoiceConfig extends VendorConfig {
  /** In the order in which they are tried. */
  voiceEngines: readonly [EngineConfig, ...EngineConfig[]];
  /** For RTP, both ends included. */
  rtpPorts: { from: number; to: number };
  /** Calls that this process runs at a time; infinite when nothing says so. */
  mostCalls: number;
  /** Running calls get this long when the process is stopped, in milliseconds. */
  voiceDrainMs: number;
  /** Where SIP listens, once there is a trunk. */
  sipBind: { address: string; port: number };
  /** What SDP and Contact name; null: the address that is bound. */
  mediaAddress: string | null;
  /** Handed to browsers, and used by our end of their connections. */
  iceServers: IceServer[];
  recordingsS3: RecordingsS3Config | null;
}

/** A call needs two ports, a transfer two more. */
const FEWEST_PORTS = 4;

/** As long as a call may be. */
const LONGEST_DRAIN_SECONDS = 7_200;

/** Reads the part of the configuration that is about calls. Every mistake is added to `problems`. */
export function readVoiceConfig(reader: {
  text: (name: string) => string | null;
  address: (name: string, protocols: readonly string[]) => string | null;
  whole: (name: string, fallback: number, min: number, max: number) => number;
  /** Where everybody reaches the service. */
  publicUrl: string;
  problems: string[];
}): VoiceConfig {
  const { text, whole, problems } = reader;
  const mediaAddress = text("MEDIA_ADDRESS");
  if (mediaAddress !== null && isIP(mediaAddress) === 0)
    problems.push(`MEDIA_ADDRESS must be an IP address, but is "${mediaAddress}".`);

  return {
    sipBind: readSipBind(text("SIP_BIND") ?? "127.0.0.1:5070", problems),
    mostCalls:
      text("VOICE_MAX_CALLS") === null ? Number.POSITIVE_INFINITY : whole("VOICE_MAX_CALLS", 1, 1, 10_000),
    voiceDrainMs: whole("VOICE_DRAIN_SECONDS", 15, 0, LONGEST_DRAIN_SECONDS) * 1000,
    voiceEngines: readEngines(reader),
    rtpPorts: readPorts(text("RTP_PORTS") ?? "20000-29999", problems),
    mediaAddress,
    iceServers: readIceServers(text("ICE_SERVERS"), problems),
    recordingsS3: readS3(reader),
    ...readVendors(reader),
  };
}

/** `127.0.0.1:5070`, `[::1]:5070`. */
function readSipBind(value: string, problems: string[]): VoiceConfig["sipBind"] {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(value) ?? [];
  const address = bracketed ?? plain ?? "";
  const port = Number(digits);
  if (isIP(address) === 0 || !(port <= 65_535)) {
    problems.push(`SIP_BIND must be an IP address and a port such as 0.0.0.0:5070, but is "${value}".`);
  }
  return { address, port };
}

function readPorts(value: string, problems: string[]): VoiceConfig["rtpPorts"] {
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(value) ?? [];
  const from = Number(first);
  const to = Number(last);
  if (!(from >= 1024 && to <= 65_535 && to - from + 1 >= FEWEST_PORTS)) {
    problems.push(
      `RTP_PORTS must be a range of at least ${FEWEST_PORTS} ports such as 20000-29999, but is "${value}".`,
    );
  }
  return { from, to };
}

const ICE_URL = /^(stun|stuns|turn|turns):\S+$/;

/** URLs separated by commas, or a JSON array as RTCPeerConnection takes it. The value may hold passwords: it is not repeated. */
function readIceServers(value: string | null, problems: string[]): IceServer[] {
  if (value === null) return [];
  const wrong = () => {
    problems.push(
      "ICE_SERVERS must be stun: and turn: URLs separated by commas, or a JSON array of { urls, username, credential }.",
    );
    return [];
  };
  let servers: unknown;
  try {
    servers = value.startsWith("[")
      ? JSON.parse(value)
      : value.split(",").map((url) => ({ urls: url.trim() }));
  } catch {
    return wrong();
  }
  return Array.isArray(servers) && servers.every(isIceServer) ? servers.map(asIceServer) : wrong();
}

function isIceServer(value: unknown): value is IceServer {
  if (typeof value !== "object" || value === null) return false;
  const { urls, username, credential } = value as Record<string, unknown>;
  const list = Array.isArray(urls) ? urls : [urls];
  return (
    list.length > 0 &&
    list.every((url) => typeof url === "string" && ICE_URL.test(url)) &&
    [username, credential].every((text) => text === undefined || typeof text === "string")
  );
}

function asIceServer({ urls, username, credential }: IceServer): IceServer {
  return {
    urls,
    ...(username === undefined ? {} : { username }),
    ...(credential === undefined ? {} : { credential }),
  };
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** What needs no escaping in a path, so that it is signed and sent alike. */
const PREFIX = /^([A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*\/?)?$/;

function readS3({
  text,
  address,
  problems,
}: Parameters<typeof readVoiceConfig>[0]): RecordingsS3Config | null {
  const needed = {
    endpoint: "RECORDINGS_S3_ENDPOINT",
    bucket: "RECORDINGS_S3_BUCKET",
    accessKeyId: "RECORDINGS_S3_ACCESS_KEY_ID",
    secretAccessKey: "RECORDINGS_S3_SECRET_ACCESS_KEY",
  } as const;
  const missing = Object.values(needed).filter((name) => text(name) === null);
  const others = ["RECORDINGS_S3_REGION", "RECORDINGS_S3_PREFIX"];
  if (missing.length === Object.values(needed).length && others.every((name) => text(name) === null))
    return null;
  for (const name of missing) problems.push(`${name} is needed for recordings in an S3 store.`);
  const endpoint = address(needed.endpoint, ["http:", "https:"]);
  if (endpoint !== null && /[?#@]/.test(endpoint))
    problems.push("RECORDINGS_S3_ENDPOINT must be an address without user, query or fragment.");
  const bucket = text(needed.bucket);
  if (bucket !== null && !BUCKET.test(bucket))
    problems.push(
      "RECORDINGS_S3_BUCKET must be a bucket's name: 3 to 63 lowercase letters, digits, dots and hyphens.",
    );
  const prefix = text("RECORDINGS_S3_PREFIX") ?? "";
  if (!PREFIX.test(prefix))
    problems.push(
      "RECORDINGS_S3_PREFIX must be names of letters, digits, dots, hyphens and underscores, separated by slashes.",
    );
  return {
    endpoint: (endpoint ?? "").replace(/\/+$/, ""),
    bucket: bucket ?? "",
    region: text("RECORDINGS_S3_REGION") ?? "us-east-1",
    accessKeyId: text(needed.accessKeyId) ?? "",
    secretAccessKey: text(needed.secretAccessKey) ?? "",
    prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
  };
}
