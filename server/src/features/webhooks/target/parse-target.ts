import { isIP } from "node:net";
import { DomainError } from "../../../domain-error.ts";
import { isGlobalUnicast, type TargetAddress, toDialable } from "./address-policy.ts";
import { isDnsName, isPrivateHostname } from "./host-policy.ts";

/** A target URL that its text alone says nothing against. */
export interface ParsedTarget {
  /** The normalized URL: what is stored, without a fragment. */
  readonly href: string;
  /** `https://host[:port]`, the Host header's and the connection's identity. */
  readonly origin: string;
  /** What stands in the request line: path and query. */
  readonly path: string;
  /** Lower case, punycode, without brackets and trailing dot: what DNS, SNI and the certificate check are given. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
  /** The address, when the host is an IP literal; then there is no DNS. */
  readonly literal: TargetAddress | null;
}

const MAX_URL_LENGTH = 2_048;
/** White space, controls and backslashes: a lenient parser drops or repairs them, so what is stored would not be what was sent. */
const REPAIRABLE = /[\s\\\p{Cc}\p{Cs}]/u;
/** Scheme, authority (absent without `//`), and the rest. */
const PARTS = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?(.*)$/i;
const PORT = /:\d*$/;

/**
 * Checks a target URL as far as its text goes, in the contract's order:
 * `malformed_url` → `invalid_protocol` → `https_required_in_production` → `userinfo_not_allowed` → `missing_host` →
 * `private_hostname` → `private_ipv4` / `private_ipv6` for literals. Throws a DomainError with that code.
 *
 * @param allowPrivateTargets development: http, private names and private addresses pass
 */
export function parseTarget(text: unknown, allowPrivateTargets: boolean): ParsedTarget {
  if (typeof text !== "string" || text === "")
    throw malformed("target_url is required: an absolute https URL.");
  if (isTooLong(text)) throw malformed(`target_url is longer than ${MAX_URL_LENGTH} characters.`);
  if (REPAIRABLE.test(text))
    throw malformed("target_url has white space, a control character or a backslash.");
  const parts = PARTS.exec(text);
  if (!parts) throw malformed("target_url is not an absolute URL.");
  const protocol = `${parts[1]!.toLowerCase()}:`;
  const web = protocol === "https:" || protocol === "http:";
  const authority = splitAuthority(parts[2] ?? "");
  const missingHost = web && authority.host === "";
  // The parser repairs `https:///example.com` and `https:example.com`, and throws on `https://`: to learn whether the
  // rest is well-formed it is given a host.
  const url = parseUrl(
    missingHost ? `${protocol}//${authority.userinfo}host${authority.port}${parts[3]}` : text,
  );
  if (web) refuseMalformedHost(url);
  if (!web) throw new DomainError("invalid_protocol", "target_url must use https.");
  if (protocol === "http:" && !allowPrivateTargets) {
    throw new DomainError("https_required_in_production", "target_url must use https, not http.");
  }
  if (authority.userinfo !== "") {
    throw new DomainError("userinfo_not_allowed", "target_url must not carry a user name or password.");
  }
  if (missingHost) throw new DomainError("missing_host", "target_url has no host.");
  const literal = literalAddress(url);
  if (!allowPrivateTargets) refusePrivateHost(url, literal);
  return {
    href: withoutFragment(url),
    origin: url.origin,
    path: url.pathname + url.search,
    hostname: bareHostname(url),
    port: url.port === "" ? (protocol === "https:" ? 443 : 80) : Number(url.port),
    secure: protocol === "https:",
    literal: literal && toDialable(literal.address, literal.family),
  };
}

function splitAuthority(authority: string): { userinfo: string; host: string; port: string } {
  const at = authority.lastIndexOf("@") + 1;
  const hostAndPort = authority.slice(at);
  const port = PORT.exec(hostAndPort)?.[0] ?? "";
  return {
    userinfo: authority.slice(0, at),
    host: hostAndPort.slice(0, hostAndPort.length - port.length),
    port,
  };
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw malformed("target_url is not a well-formed URL.");
  }
}

function isTooLong(text: string): boolean {
  // Lengths count code points, which are never more than the UTF-16 units.
  return text.length > MAX_URL_LENGTH && Array.from(text).length > MAX_URL_LENGTH;
}

function refuseMalformedHost(url: URL): void {
  if (url.port === "0") throw malformed("target_url names port 0.");
  const host = bareHostname(url);
  if (isIP(host) === 0 && !isDnsName(host)) throw malformed("target_url's host is not a host name.");
}

function refusePrivateHost(url: URL, literal: TargetAddress | null): void {
  if (literal === null) {
    if (!isPrivateHostname(bareHostname(url))) return;
    throw new DomainError("private_hostname", "target_url's host is not a public host name.");
  }
  if (isGlobalUnicast(literal.address)) return;
  throw literal.family === 4
    ? new DomainError("private_ipv4", "target_url's IPv4 address is not a public one.")
    : new DomainError("private_ipv6", "target_url's IPv6 address is not a public one.");
}

function literalAddress(url: URL): TargetAddress | null {
  const host = bareHostname(url);
  const family = isIP(host);
  return family === 0 ? null : { address: host, family: family === 4 ? 4 : 6 };
}

function bareHostname(url: URL): string {
  const { hostname } = url;
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

function withoutFragment(url: URL): string {
  url.hash = "";
  return url.href;
}

function malformed(message: string): DomainError {
  return new DomainError("malformed_url", message);
}
