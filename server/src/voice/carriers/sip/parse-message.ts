import { parseNameAddress } from "./address.ts";
import { cseqOf, header, longName, type SipHeader, type SipMessage, type SipRequest } from "./message.ts";
import { parseVia } from "./via.ts";

const MAX_HEADERS = 256;
const MAX_HEAD_BYTES = 65_536;
const TOKEN = /^[A-Za-z0-9.!%*_+`'~-]+$/;
const REQUIRED = ["via", "from", "to", "call-id", "cseq"];

/**
 * Reads a datagram, or what a stream's framing has cut out. Takes any bytes, and is tolerant: compact names, folded lines,
 * bare line feeds and odd spacing are understood.
 * @returns a request with a `defect` when it should be refused with that status; null when there is nothing to answer:
 * garbage, or a response that lacks something
 */
export function parseMessage(bytes: Buffer): SipMessage | null {
  const head = headOf(bytes);
  if (!head) return null;
  const lines = unfold(head.text);
  const first = lines.shift() ?? "";
  const headers: SipHeader[] = [];
  let malformed = lines.length > MAX_HEADERS;
  for (const line of lines.slice(0, MAX_HEADERS)) {
    const read = readHeader(line);
    if (read) headers.push(read);
    else malformed = true;
  }
  const rest = bytes.subarray(head.bodyAt);
  const length = contentLength(headers);
  const isShort = length === "wrong" || (length !== null && length > rest.length);
  const body = typeof length === "number" ? rest.subarray(0, length) : rest;

  const status = /^SIP\/2\.0\s+([1-6]\d\d)(?:\s+(.*))?$/i.exec(first);
  if (status) {
    const response: SipMessage = {
      kind: "response",
      status: Number(status[1]),
      reason: status[2] ?? "",
      headers,
      body,
    };
    const isWhole = !isShort && REQUIRED.every((name) => header(response, name) !== undefined);
    return isWhole && cseqOf(response) && parseVia(header(response, "via")) ? response : null;
  }
  return readRequest(first, headers, body, malformed || isShort);
}

function readRequest(
  first: string,
  headers: SipHeader[],
  body: Buffer,
  isMalformed: boolean,
): SipRequest | null {
  const [, method = "", uri = "", version = ""] = /^(\S+)\s+(.*?)\s+SIP\/(\S+)\s*$/i.exec(first) ?? [];
  if (!TOKEN.test(method)) return null;
  const request: SipRequest = { kind: "request", method, uri, headers, body };
  // Without it nobody can tell what an answer answers.
  if (!parseVia(header(request, "via"))) return null;
  const refuse = (reason: string, status = 400): SipRequest => ({ ...request, defect: { status, reason } });
  if (version !== "2.0") return refuse("Version Not Supported", 505);
  for (const name of REQUIRED)
    if (header(request, name) === undefined) return refuse(`Missing ${name} Header`);
  for (const name of ["from", "to"])
    if (!parseNameAddress(header(request, name))) return refuse(`Invalid ${name} Header`);
  const cseq = cseqOf(request);
  if (!cseq) return refuse("Invalid CSeq");
  if (cseq.method !== method) return refuse("CSeq Method Mismatch");
  if (isMalformed) return refuse("Malformed Message");
  if (uri === "" || /[\s<>"]/.test(uri)) return refuse("Invalid Request-URI");
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) return refuse("Invalid Request-URI");
  if (!/^(sips?|tel):/i.test(uri)) return refuse("Unsupported URI Scheme", 416);
  for (const name of ["from", "to", "call-id", "cseq"])
    if (headers.filter((candidate) => candidate.name === name).length > 1) return refuse(`Repeated ${name}`);
  return request;
}

/** The first line and the headers, without what ends them. */
function headOf(bytes: Buffer): { text: string; bodyAt: number } | null {
  let start = 0;
  while (bytes[start] === 13 || bytes[start] === 10) start++;
  if (start === bytes.length) return null;
  const end = endOfHead(bytes, start);
  // A datagram that ends with its headers is read as if the empty line were there.
  const until = end?.at ?? bytes.length;
  if (until - start > MAX_HEAD_BYTES) return null;
  return { text: bytes.toString("utf8", start, until), bodyAt: end?.bodyAt ?? bytes.length };
}

/** Where the empty line is that ends the headers; null when there is none yet. */
export function endOfHead(bytes: Buffer, from = 0): { at: number; bodyAt: number } | null {
  const strict = bytes.indexOf("\r\n\r\n", from, "latin1");
  const bare = bytes.indexOf("\n\n", from, "latin1");
  if (strict < 0 && bare < 0) return null;
  if (bare >= 0 && (strict < 0 || bare < strict)) return { at: bare, bodyAt: bare + 2 };
  return { at: strict, bodyAt: strict + 4 };
}

function unfold(text: string): string[] {
  const lines: string[] = [];
  for (const ended of text.split("\n")) {
    const line = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
    if ((line.startsWith(" ") || line.startsWith("\t")) && lines.length > 1)
      lines[lines.length - 1] += ` ${line.trim()}`;
    else lines.push(line);
  }
  return lines;
}

function readHeader(line: string): SipHeader | null {
  const colon = line.indexOf(":");
  if (colon < 1) return null;
  const name = longName(line.slice(0, colon));
  return TOKEN.test(name) ? { name, value: line.slice(colon + 1).trim() } : null;
}

/** Null when it isn't told: then the body is what is left. */
export function contentLength(headers: readonly SipHeader[]): number | "wrong" | null {
  let told: string | null = null;
  for (const { name, value } of headers) {
    if (name !== "content-length") continue;
    if (told !== null && value !== told) return "wrong";
    told = value;
  }
  if (told === null) return null;
  return /^\d{1,9}$/.test(told) ? Number(told) : "wrong";
}
