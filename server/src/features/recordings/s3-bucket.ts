import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { AwsClient } from "aws4fetch";
import type { RecordingsS3Config } from "../../voice-config.ts";

/** The few requests to an S3-compatible store that recordings need. Keys go behind the configured prefix. */
export interface S3Bucket {
  /** @param file open for reading, of `size` bytes */
  put(key: string, file: FileHandle, size: number, contentType: string): Promise<void>;
  size(key: string): Promise<number | null>;
  get(key: string, range: { first: number; last: number }): Promise<Readable | null>;
  remove(key: string): Promise<void>;
  /** The keys below the prefix, without it; a thousand at a time. */
  list(): AsyncIterable<string[]>;
}

const TRANSFER_MS = 60_000;
/** Somebody waits for these: a player, or the recovery of a call. */
const QUESTION_MS = 10_000;
/** The least that S3 takes for a part that isn't the last is 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * Signs with the machine's own time, whatever the service's clock says: the store compares it with its own.
 * @param signal ends what is running
 * @param partBytes what one request uploads at most; default 8 MiB
 */
export function s3Bucket(
  settings: RecordingsS3Config,
  signal: AbortSignal,
  partBytes = PART_BYTES,
): S3Bucket {
  const client = new AwsClient({
    accessKeyId: settings.accessKeyId,
    secretAccessKey: settings.secretAccessKey,
    region: settings.region,
    service: "s3",
  });
  // The bucket in the path: what every S3-compatible store understands.
  const bucketUrl = `${settings.endpoint}/${settings.bucket}`;
  const { prefix } = settings;
  const pathOf = (key: string) => `/${prefix}${key}`;

  /** @throws unless the answer is a success or a 404. The time limit is for the answer's head, not for its body. */
  const send = async (
    method: string,
    path: string,
    {
      body,
      headers = {},
    }: { body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> } = {},
  ): Promise<Response> => {
    const timeout = new AbortController();
    const limit = ["GET", "HEAD"].includes(method) ? QUESTION_MS : TRANSFER_MS;
    const timer = setTimeout(
      () => timeout.abort(new Error(`The recordings' S3 store didn't answer a ${method} in time.`)),
      limit,
    );
    try {
      const signed = await client.sign(bucketUrl + path, { method, headers, ...(body ? { body } : {}) });
      const response = await fetch(signed, {
        redirect: "manual",
        signal: AbortSignal.any([signal, timeout.signal]),
      });
      if (response.ok || response.status === 404) return response;
      const code = tagIn(await response.text(), "Code") ?? "";
      throw new Error(
        `The recordings' S3 store answered ${`${response.status} ${code}`.trim()} to a ${method}.`,
      );
    } finally {
      clearTimeout(timer);
    }
  };
  /** For requests where a 404 is a failure too: the bucket isn't there. @returns the answer's body */
  const expectDone = async (answer: Promise<Response>): Promise<string> => {
    const response = await answer;
    const text = await response.text();
    if (response.ok && !text.includes("<Error>")) return text;
    throw new Error(
      `The recordings' S3 store answered ${tagIn(text, "Code") ?? response.status} to an upload or a list.`,
    );
  };

  const putInParts = async (path: string, file: FileHandle, size: number, contentType: string) => {
    const begun = await expectDone(
      send("POST", `${path}?uploads`, { headers: { "content-type": contentType } }),
    );
    const uploadId = encodeURIComponent(tagIn(begun, "UploadId") ?? "");
    try {
      let parts = "";
      for (let from = 0, number = 1; from < size; from += partBytes, number++) {
        const body = await bytesOf(file, from, Math.min(partBytes, size - from));
        const answer = await send("PUT", `${path}?partNumber=${number}&uploadId=${uploadId}`, { body });
        const etag = answer.headers.get("etag");
        await expectDone(Promise.resolve(answer));
        parts += `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`;
      }
      const body = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`;
      await expectDone(send("POST", `${path}?uploadId=${uploadId}`, { body }));
    } catch (error) {
      // What was uploaded of it would be kept, and paid for, forever.
      await send("DELETE", `${path}?uploadId=${uploadId}`).catch(() => {});
      throw error;
    }
  };

  return {
    async put(key, file, size, contentType) {
      if (size > partBytes) return putInParts(pathOf(key), file, size, contentType);
      const body = await bytesOf(file, 0, size);
      await expectDone(send("PUT", pathOf(key), { body, headers: { "content-type": contentType } }));
    },
    async size(key) {
      const response = await send("HEAD", pathOf(key));
      return response.ok ? Number(response.headers.get("content-length")) : null;
    },
    async get(key, { first, last }) {
      const response = await send("GET", pathOf(key), { headers: { range: `bytes=${first}-${last}` } });
      if (response.ok && response.body) return Readable.fromWeb(response.body as ReadableStream);
      await response.body?.cancel();
      return null;
    },
    async remove(key) {
      await (await send("DELETE", pathOf(key))).body?.cancel();
    },
    async *list() {
      for (let token: string | undefined, more = true; more; more = token !== undefined) {
        const after = token === undefined ? "" : `&continuation-token=${encodeURIComponent(token)}`;
        const within = prefix === "" ? "" : `&prefix=${encodeURIComponent(prefix)}`;
        const text = await expectDone(send("GET", `?list-type=2${within}${after}`));
        const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) =>
          decoded(key!).slice(prefix.length),
        );
        if (keys.length > 0) yield keys;
        token = tagIn(text, "NextContinuationToken");
      }
    },
  };
}

async function bytesOf(file: FileHandle, from: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, from + done);
    if (bytesRead === 0) throw new Error("The recording has become shorter while it was uploaded.");
    done += bytesRead;
  }
  return bytes;
}

function tagIn(xml: string, name: string): string | undefined {
  const value = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return value === undefined ? undefined : decoded(value);
}

function decoded(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
