export const EXCERPT_BYTES = 1_024;

/**
 * The first KiB of an answer as text for the delivery log: read as UTF-8, what isn't becomes U+FFFD, a character cut
 * in two by the limit is left out, and NUL (which PostgreSQL's text can't hold) becomes U+FFFD too.
 */
export function responseExcerpt(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return "";
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const cut = bytes.length > EXCERPT_BYTES;
  const text = cut
    ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, EXCERPT_BYTES), { stream: true })
    : bytes.toString("utf8");
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}
