import { createHash } from "node:crypto";
import type { Answer } from "../../http/route.ts";

/** The strong entity tag of a text or of bytes. */
export function entityTag(content: string | Uint8Array): string {
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 27)}"`;
}

/** True when the client says that it has the content of this tag. */
export function isKnown(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  tag: string,
): boolean {
  const known = headers["if-none-match"];
  if (typeof known !== "string") return false;
  return known.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === tag);
}

/** A text that may be kept, but is asked for anew each time; 304 when the client has it. */
export function answerText(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  text: string,
  contentType: string,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const etag = entityTag(text);
  const common = { etag, "cache-control": "no-cache", ...more };
  return isKnown(headers, etag)
    ? { status: 304, headers: common }
    : { body: text, contentType, headers: common };
}
