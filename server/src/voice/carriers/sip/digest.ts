import { createHash } from "node:crypto";
import { splitList } from "./message.ts";

export interface Credentials {
  username: string;
  password: string;
}

export interface Challenge {
  realm: string;
  nonce: string;
  opaque: string | null;
  algorithm: "MD5" | "SHA-256";
  session: boolean;
  qop: "auth" | null;
  stale: boolean;
}

/** The strongest first. */
const ALGORITHMS = ["SHA-256", "MD5"] as const;

/**
 * Reads WWW-Authenticate or Proxy-Authenticate headers (RFC 3261, 22 and RFC 8760).
 * @returns the strongest that we can answer, or null
 */
export function chooseChallenge(values: readonly string[]): Challenge | null {
  const readable = values.map(parseChallenge).filter((challenge) => challenge !== null);
  for (const algorithm of ALGORITHMS) {
    const found = readable.find((challenge) => challenge.algorithm === algorithm);
    if (found) return found;
  }
  return null;
}

function parseChallenge(value: string): Challenge | null {
  const [, rest] = /^\s*Digest\s+(.*)$/is.exec(value) ?? [];
  if (rest === undefined) return null;
  const params = new Map<string, string>();
  for (const part of splitList(rest)) {
    const [, name, quoted, plain] =
      /^([A-Za-z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))$/s.exec(part) ?? [];
    if (name !== undefined) params.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "");
  }
  const realm = params.get("realm");
  const nonce = params.get("nonce");
  const [, name, session] = /^(MD5|SHA-256)(-sess)?$/i.exec(params.get("algorithm") ?? "MD5") ?? [];
  const offered = params
    .get("qop")
    ?.split(",")
    .map((entry) => entry.trim().toLowerCase());
  if (realm === undefined || nonce === undefined || name === undefined) return null;
  if (offered && !offered.includes("auth")) return null;
  return {
    realm,
    nonce,
    opaque: params.get("opaque") ?? null,
    algorithm: name.toUpperCase() as Challenge["algorithm"],
    session: session !== undefined,
    qop: offered ? "auth" : null,
    stale: params.get("stale")?.toLowerCase() === "true",
  };
}

/**
 * The value of an Authorization header.
 * @param use the client's own nonce, and how often the server's has been used with this request
 */
export function authorize(
  challenge: Challenge,
  { username, password }: Credentials,
  request: { method: string; uri: string },
  use: { cnonce: string; count: number },
): string {
  const hash = (text: string) =>
    createHash(challenge.algorithm === "MD5" ? "md5" : "sha256")
      .update(text)
      .digest("hex");
  const { realm, nonce, qop, opaque } = challenge;
  const count = use.count.toString(16).padStart(8, "0");
  const secret = hash(`${username}:${realm}:${password}`);
  const ha1 = challenge.session ? hash(`${secret}:${nonce}:${use.cnonce}`) : secret;
  const ha2 = hash(`${request.method}:${request.uri}`);
  const response = hash(
    qop === null ? `${ha1}:${nonce}:${ha2}` : `${ha1}:${nonce}:${count}:${use.cnonce}:${qop}:${ha2}`,
  );
  const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
  const parts = [
    `username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(request.uri)}`,
    `response="${response}"`,
    `algorithm=${challenge.algorithm}${challenge.session ? "-sess" : ""}`,
    ...(opaque === null ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === null && !challenge.session ? [] : [`cnonce="${use.cnonce}"`]),
    ...(qop === null ? [] : [`qop=${qop}`, `nc=${count}`]),
  ];
  return `Digest ${parts.join(", ")}`;
}
