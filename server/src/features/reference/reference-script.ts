import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Answer } from "../../http/route.ts";
import { entityTag, isKnown } from "./answer-text.ts";

const SCRIPT_TYPE = "text/javascript; charset=utf-8";

/**
 * Serves the reference page's script, 3.5 MB that compress to 1. It is compressed once, when somebody first opens the page,
 * and only the compressed bytes are kept; a service whose page nobody opens keeps nothing.
 */
export function referenceScript(file: string) {
  let compressed: Promise<{ bytes: Buffer; tag: string }> | null = null;
  const compress = async () => {
    const bytes = await promisify(gzip)(await readFile(file), { level: constants.Z_BEST_COMPRESSION });
    return { bytes, tag: entityTag(bytes) };
  };
  return async (headers: Readonly<Record<string, string | string[] | undefined>>): Promise<Answer> => {
    compressed ??= compress().catch((error: unknown) => {
      compressed = null;
      throw error;
    });
    const { bytes, tag } = await compressed;
    const common = { etag: tag, vary: "accept-encoding", "cache-control": "no-cache" };
    if (isKnown(headers, tag)) return { status: 304, headers: common };
    if (!acceptsGzip(headers["accept-encoding"]))
      return {
        body: createReadStream(file),
        contentType: SCRIPT_TYPE,
        headers: { ...common, etag: `W/${tag}` },
      };
    return { body: bytes, contentType: SCRIPT_TYPE, headers: { ...common, "content-encoding": "gzip" } };
  };
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? "")
    .toLowerCase()
    .split(",")
    .some((one) => /^\s*(gzip|x-gzip|\*)\s*(;|$)/.test(one) && !/;\s*q=0(\.0*)?\s*$/.test(one));
}
