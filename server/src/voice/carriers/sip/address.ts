import { remembered } from "../../../remembered.ts";
import { parseParams } from "./via.ts";

export interface SipUri {
  scheme: "sip" | "sips" | "tel";
  /** The user, its escapes resolved; the number of a tel: URI. */
  user: string | null;
  /** Without the brackets of IPv6. Empty for tel:. */
  host: string;
  port: number | null;
  params: ReadonlyMap<string, string>;
}

/** What From, To, Contact and Route hold. */
export interface NameAddress {
  readonly uri: string;
  readonly params: ReadonlyMap<string, string>;
}

const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;

/** @returns null when it isn't a URI of SIP or a telephone's */
export function parseUri(text: string): SipUri | null {
  const [, scheme, rest = ""] = /^(sips?|tel):([^\s<>]+)$/i.exec(text.trim()) ?? [];
  if (scheme === undefined) return null;
  const beforeHeaders = rest.includes("?") ? rest.slice(0, rest.indexOf("?")) : rest;
  if (scheme.toLowerCase() === "tel") {
    const [number = "", ...params] = beforeHeaders.split(";");
    return { scheme: "tel", user: number, host: "", port: null, params: parseParams(params.join(";")) };
  }
  const at = beforeHeaders.lastIndexOf("@");
  const [address = "", ...params] = beforeHeaders.slice(at + 1).split(";");
  const [, host, port] = HOST.exec(address) ?? [];
  if (host === undefined || (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)))
    return null;
  const user = at < 0 ? null : userOf(beforeHeaders.slice(0, at));
  return {
    scheme: scheme.toLowerCase() as "sip" | "sips",
    user,
    host: host.startsWith("[") ? host.slice(1, -1) : host,
    port: port === undefined ? null : Number(port),
    params: parseParams(params.join(";")),
  };
}

/** @returns null when it can't be read */
export function parseNameAddress(value: string | undefined): NameAddress | null {
  return value === undefined ? null : readNameAddress(value);
}

const readNameAddress = remembered((value): NameAddress | null => {
  const bracketed = /^\s*(?:"(?:[^"\\]|\\.)*"|[^"<]*)\s*<([^<>]+)>\s*(;.*)?$/s.exec(value);
  if (bracketed) return { uri: bracketed[1]!.trim(), params: parseParams(bracketed[2] ?? "") };
  const [, uri, params = ""] = /^\s*([^\s;<>"]+)\s*(;.*)?$/s.exec(value) ?? [];
  return uri === undefined ? null : { uri, params: parseParams(params) };
});

/** The tag of a From or To; null when there is none. */
export function tagOf(value: string | undefined): string | null {
  return parseNameAddress(value)?.params.get("tag") || null;
}

/** A host as it stands in URIs: IPv6 in brackets. */
export function hostText(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Without its password and parameters. */
function userOf(text: string): string {
  const user = text.includes(":") || text.includes(";") ? text.slice(0, text.search(/[:;]/)) : text;
  return user.includes("%") ? unescaped(user) : user;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
