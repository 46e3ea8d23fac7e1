/** The bytes that a request asks for, both ends included. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Reads `Range` (RFC 9110). More than one range, another unit and what can't be read are ignored, as the RFC allows: the
 * whole is answered then.
 * @param size of the whole, in bytes
 * @returns null for the whole; "unsatisfiable" when the range begins behind the end, or asks for no byte
 */
export function readByteRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const [, from, to] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return null;
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== "" && Number(to) < first) return null;
  if (first >= size) return "unsatisfiable";
  return { first, last: to === "" ? size - 1 : Math.min(Number(to), size - 1) };
}
