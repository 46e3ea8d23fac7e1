import { remembered } from "../../../remembered.ts";

/** One message of SIP (RFC 3261). Header names are lower case and long, whatever was sent; values are as sent, unfolded. */
export interface SipHeader {
  name: string;
  value: string;
}

export interface SipRequest {
  kind: "request";
  method: string;
  uri: string;
  headers: SipHeader[];
  body: Buffer;
  /** What is wrong with it, where it can still be answered: with this status. */
  defect?: { status: number; reason: string };
}

export interface SipResponse {
  kind: "response";
  status: number;
  reason: string;
  headers: SipHeader[];
  body: Buffer;
}

export type SipMessage = SipRequest | SipResponse;

/** RFC 3261, 7.3.3, and what was registered since. */
const COMPACT: Readonly<Record<string, string>> = {
  a: "accept-contact",
  b: "referred-by",
  c: "content-type",
  e: "content-encoding",
  f: "from",
  i: "call-id",
  k: "supported",
  l: "content-length",
  m: "contact",
  o: "event",
  r: "refer-to",
  s: "subject",
  t: "to",
  u: "allow-events",
  v: "via",
  x: "session-expires",
};

/** How names are written: all that calls have, so that they are looked up; others have each of their words capitalized. */
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ["allow", "Allow"],
  ["call-id", "Call-ID"],
  ["contact", "Contact"],
  ["content-length", "Content-Length"],
  ["content-type", "Content-Type"],
  ["cseq", "CSeq"],
  ["from", "From"],
  ["max-forwards", "Max-Forwards"],
  ["record-route", "Record-Route"],
  ["route", "Route"],
  ["to", "To"],
  ["user-agent", "User-Agent"],
  ["via", "Via"],
  ["www-authenticate", "WWW-Authenticate"],
]);

/** Names as they come, most of them as they are written. A map, as others choose what is looked up in it. */
const LONG: ReadonlyMap<string, string> = new Map([
  ...Array.from(WRITTEN, ([name, written]): [string, string] => [written, name]),
  ...Object.entries(COMPACT),
]);

/** A header's name as it is here: lower case, and long. */
export function longName(told: string): string {
  const known = LONG.get(told);
  if (known !== undefined) return known;
  const name = told.trim().toLowerCase();
  return LONG.get(name) ?? name;
}

/** The first value of a header, or undefined. */
export function header(message: SipMessage, name: string): string | undefined {
  for (const candidate of message.headers) if (candidate.name === name) return candidate.value;
  return undefined;
}

/** All values of a header in their order, lists taken apart at their commas. */
export function headerList(message: SipMessage, name: string): string[] {
  return message.headers
    .filter((candidate) => candidate.name === name)
    .flatMap(({ value }) => splitList(value));
}

/** Every header of that name as it was sent: for those whose values have commas of their own. */
export function headersNamed(message: SipMessage, name: string): string[] {
  return message.headers.filter((candidate) => candidate.name === name).map(({ value }) => value);
}

/** Takes a list apart at its commas, but not within quotes or angle brackets. Empty elements are left out. */
export function splitList(value: string, separator = ","): string[] {
  if (!value.includes(separator)) return value.trim() === "" ? [] : [value.trim()];
  const parts: string[] = [];
  let quoted = false;
  let bracketed = false;
  let start = 0;
  for (let at = 0; at < value.length; at++) {
    const character = value[at];
    if (quoted) {
      if (character === "\\") at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "<") bracketed = true;
    else if (character === ">") bracketed = false;
    else if (character === separator && !bracketed) {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(value.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** @returns the bytes as they go over the wire, with the length of the body */
export function serialize(message: SipMessage): Buffer {
  const first =
    message.kind === "request"
      ? `${message.method} ${message.uri} SIP/2.0`
      : `SIP/2.0 ${message.status} ${message.reason}`;
  let head = `${oneLine(first)}\r\n`;
  for (const { name, value } of message.headers) {
    if (name !== "content-length") head += `${writtenName(name)}: ${oneLine(value)}\r\n`;
  }
  const bytes = Buffer.from(`${head}Content-Length: ${message.body.length}\r\n\r\n`);
  return message.body.length === 0 ? bytes : Buffer.concat([bytes, message.body]);
}

/** Nothing that was sent to us, or configured, begins a header of its own. */
function oneLine(text: string): string {
  return text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]+/g, " ") : text;
}

function writtenName(name: string): string {
  return WRITTEN.get(name) ?? name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** The number and the method of a CSeq; null when it has none. */
export function cseqOf(message: SipMessage): CSeq | null {
  return readCseq(header(message, "cseq") ?? "");
}

interface CSeq {
  readonly number: number;
  readonly method: string;
}

const readCseq = remembered((value): CSeq | null => {
  const [, digits, method] = /^(\d{1,10})\s+(\S+)$/.exec(value.trim()) ?? [];
  const number = Number(digits);
  return method !== undefined && number < 2 ** 31 ? { number, method } : null;
});

/**
 * The answer to a request, with what every answer repeats of it.
 * @param tag of the To header, should it have none yet
 */
export function responseTo(
  request: SipRequest,
  status: number,
  reason: string,
  more: { tag?: string; headers?: readonly SipHeader[]; body?: string; type?: string } = {},
): SipResponse {
  const repeated = request.headers.filter(({ name }) =>
    ["via", "from", "call-id", "cseq", ...(status < 300 ? ["record-route"] : [])].includes(name),
  );
  const to = header(request, "to") ?? "<sip:unknown@invalid>";
  const tagged = more.tag === undefined || /;\s*tag\s*=/i.test(to) ? to : `${to};tag=${more.tag}`;
  const body = Buffer.from(more.body ?? "");
  return {
    kind: "response",
    status,
    reason,
    headers: [
      ...repeated,
      { name: "to", value: tagged },
      ...(more.headers ?? []),
      ...(body.length > 0 ? [{ name: "content-type", value: more.type ?? "application/sdp" }] : []),
    ],
    body,
  };
}
