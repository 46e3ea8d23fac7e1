/** Who sent a message over which way: the topmost Via of a request tells where its answer goes. */
export interface Via {
  protocol: string;
  host: string;
  port: number | null;
  /** Names in lower case; a parameter without a value is "". */
  params: ReadonlyMap<string, string>;
}

const VIA =
  /^SIP\s*\/\s*2\.0\s*\/\s*([A-Za-z0-9-]+)\s+(\[[0-9A-Fa-f:.]+\]|[^\s:;,[\]]+)\s*(?::\s*(\d{1,5}))?\s*(;.*)?$/i;

/** @returns the first of a header's values, or null when it can't be read */
export function parseVia(value: string | undefined): Via | null {
  const first = value === undefined ? "" : (/^[^",]*/.exec(value)?.[0] ?? "");
  const [, protocol, host, port, params = ""] = VIA.exec(first.trim()) ?? [];
  if (protocol === undefined || host === undefined) return null;
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)) return null;
  return {
    protocol: protocol.toLowerCase(),
    host,
    port: port === undefined ? null : Number(port),
    params: parseParams(params),
  };
}

/** `;name=value;name` as headers and addresses end with. */
export function parseParams(text: string): Map<string, string> {
  const params = new Map<string, string>();
  for (const part of text.split(";")) {
    const [name = "", ...rest] = part.split("=");
    if (name.trim() === "") continue;
    params.set(
      name.trim().toLowerCase(),
      rest
        .join("=")
        .trim()
        .replace(/^"(.*)"$/, "$1"),
    );
  }
  return params;
}
