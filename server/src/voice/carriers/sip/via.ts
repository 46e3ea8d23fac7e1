import { remembered } from "../../../remembered.ts";

/** Who sent a message over which way: the topmost Via of a request tells where its answer goes. */
export interface Via {
  readonly protocol: string;
  readonly host: string;
  readonly port: number | null;
  /** Names in lower case; a parameter without a value is "". */
  readonly params: ReadonlyMap<string, string>;
}

const VIA =
  /^SIP\s*\/\s*2\.0\s*\/\s*([A-Za-z0-9-]+)\s+(\[[0-9A-Fa-f:.]+\]|[^\s:;,[\]]+)\s*(?::\s*(\d{1,5}))?\s*(;.*)?$/i;

const SENT_BY =
  /^\s*SIP\s*\/\s*2\.0\s*\/\s*[A-Za-z0-9-]+\s+(?:\[[0-9A-Fa-f:.]+\]|[^\s:;,[\]]+)\s*(?::\s*\d{1,5})?/i;

/** @returns the first of a header's values, or null when it can't be read */
export function parseVia(value: string | undefined): Via | null {
  return value === undefined ? null : readVia(value);
}

const readVia = remembered((value): Via | null => {
  const first = value.includes(",") || value.includes('"') ? value.slice(0, value.search(/[",]/)) : value;
  const [, protocol, host, port, params = ""] = VIA.exec(first.trim()) ?? [];
  if (protocol === undefined || host === undefined) return null;
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)) return null;
  return {
    protocol: protocol.toLowerCase(),
    host,
    port: port === undefined ? null : Number(port),
    params: parseParams(params),
  };
});

/**
 * A request's topmost Via with what we know better: the address that it came from, where it names another (RFC 3261,
 * 18.2.1), and the port, where it asks for that (RFC 3581, 4).
 */
export function withSource(value: string, from: { address: string; port: number }): string {
  const via = parseVia(value);
  const [sentBy = ""] = SENT_BY.exec(value) ?? [];
  if (!via || sentBy === "") return value;
  const asksForPort = via.params.get("rport") === "";
  const isTrue = via.host.replace(/^\[|\]$/g, "").toLowerCase() === from.address;
  const [own = ""] = /^[^",]*/.exec(value.slice(sentBy.length)) ?? [];
  const after = value.slice(sentBy.length + own.length);
  const kept = own.replace(/;\s*received\s*=[^;]*/gi, "");
  const filled = asksForPort ? kept.replace(/;\s*rport\s*(=\s*)?(?=;|$)/i, `;rport=${from.port}`) : kept;
  return `${sentBy}${isTrue && !asksForPort ? "" : `;received=${from.address}`}${filled}${after}`;
}

/** `;name=value;name` as headers and addresses end with. */
export function parseParams(text: string): Map<string, string> {
  const params = new Map<string, string>();
  if (text === "") return params;
  for (const part of text.split(";")) {
    const equals = part.indexOf("=");
    const name = (equals < 0 ? part : part.slice(0, equals)).trim();
    if (name === "") continue;
    const value = equals < 0 ? "" : part.slice(equals + 1).trim();
    params.set(name.toLowerCase(), value.startsWith('"') ? value.replace(/^"(.*)"$/, "$1") : value);
  }
  return params;
}
