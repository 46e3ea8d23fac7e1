import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type S3Server, startS3Server } from "../../testing/s3-server.ts";
import { fileRecordingStore } from "./file-store.ts";
import { recordingStoreContract } from "./recording-store.contract.ts";
import type { RecordingStore } from "./recording-store.ts";
import { s3RecordingStore } from "./s3-store.ts";

for (const prefix of ["", "calls/eu/"]) {
  recordingStoreContract(`a bucket with the prefix "${prefix}"`, async () => {
    const server = await startS3Server({ prefix });
    const directory = await mkdtemp(join(tmpdir(), "outreach-spool-"));
    return {
      directory,
      open: () =>
        s3RecordingStore({
          settings: server.settings,
          directory,
          onError(error) {
            // The contract repairs and removes what is being uploaded.
            if (!/ENOENT/.test(String(error))) throw error;
          },
        }),
      async close() {
        await server.close();
        await rm(directory, { recursive: true, force: true });
      },
    };
  });
}

const KEY = "0190f0f0-0000-7000-8000-000000000000/2026-11/0190f0f0-0000-7000-8000-000000000001.wav";
const frame = new Int16Array(160).fill(500);

describe("a bucket", () => {
  let server: S3Server;
  let directory: string;
  let errors: string[];
  const opened: RecordingStore[] = [];
  beforeEach(async () => {
    server = await startS3Server();
    directory = await mkdtemp(join(tmpdir(), "outreach-spool-"));
    errors = [];
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });

  const open = (change: object = {}, partBytes?: number) => {
    const store = s3RecordingStore({
      settings: { ...server.settings, ...change },
      directory,
      closeWithinMs: 5000,
      onError: (error) => errors.push(String(error)),
      ...(partBytes === undefined ? {} : { partBytes }),
    });
    opened.push(store);
    return store;
  };
  const record = async (store: RecordingStore) => {
    const sink = await store.create(KEY);
    for (let at = 0; at < 100; at++) sink.write(frame, frame);
    return sink.finish();
  };
  /** What is in the bucket, whatever is on the disk. */
  const inBucket = async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), "outreach-spool-"));
    const other = s3RecordingStore({ settings: server.settings, directory: elsewhere, onError() {} });
    const size = await other.size(KEY);
    const bytes = size === null ? null : await buffer((await other.read(KEY, { first: 0, last: size - 1 }))!);
    await other.close();
    await rm(elsewhere, { recursive: true });
    return bytes;
  };
  const localSize = () => fileRecordingStore({ directory, onError() {} }).size(KEY);

  it("gets a finished recording, which then leaves the disk", async () => {
    const store = open();
    const bytes = await record(store);
    await store.tend();
    expect(await localSize()).toBeNull();
    expect(await inBucket()).toHaveLength(bytes!);
    expect(await store.size(KEY)).toBe(bytes);
    expect(server.requests.filter((request) => request.startsWith("PUT"))).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it("gets a long one in parts, whole", async () => {
    const part = 5 * 1024 * 1024;
    const long = randomBytes(2 * part + 1);
    await mkdir(dirname(join(directory, KEY)), { recursive: true });
    await writeFile(join(directory, KEY), long);
    const store = open({}, part);
    await store.tend();
    expect(errors).toEqual([]);
    expect(server.requests.filter((request) => /^PUT .*partNumber=[123]&/.test(request))).toHaveLength(3);
    expect(long.equals((await inBucket())!)).toBe(true);
    expect(await localSize()).toBeNull();
  });

  it("drops the parts of an upload that breaks off", async () => {
    const part = 5 * 1024 * 1024;
    await mkdir(dirname(join(directory, KEY)), { recursive: true });
    await writeFile(join(directory, KEY), Buffer.alloc(2 * part));
    const store = open({}, part);
    server.failOnce(/partNumber=2/);
    await store.tend();
    expect(errors).toMatchObject([expect.stringContaining("answered 500")]);
    expect(server.requests.at(-1)).toMatch(/^DELETE .*uploadId=/);
    expect(await localSize()).toBe(2 * part);
    await store.tend();
    expect(await inBucket()).toHaveLength(2 * part);
  });

  it("disturbs no call while it is away, and gets the recording when it is back", async () => {
    server.setAway(true);
    const store = open();
    const bytes = await record(store);
    expect(bytes).toBe(58 + 32_000);
    await store.tend();
    expect(errors.length).toBeGreaterThan(0);
    // Meanwhile it is played from the disk.
    expect(await store.size(KEY)).toBe(bytes);
    expect(await buffer((await store.read(KEY, { first: 0, last: 57 }))!)).toHaveLength(58);

    server.setAway(false);
    await store.tend();
    expect(await localSize()).toBeNull();
    expect(await inBucket()).toHaveLength(bytes!);
  });

  it("holds up no recovery while it is away", async () => {
    server.setAway(true);
    expect(await open().repair(KEY)).toBeNull();
    expect(errors).toHaveLength(1);
  });

  it("gets what was left on the disk by a process that was stopped", async () => {
    server.setAway(true);
    const first = open();
    const bytes = await record(first);
    await first.close();
    server.setAway(false);
    const second = open();
    await second.tend();
    expect(await inBucket()).toHaveLength(bytes!);
  });

  it("takes over the files of a service that had no bucket", async () => {
    const bytes = await record(fileRecordingStore({ directory, onError() {} }));
    const store = open();
    expect(await store.size(KEY)).toBe(bytes);
    await store.tend();
    expect(await inBucket()).toHaveLength(bytes!);
  });

  it.each([
    ["a wrong secret", { secretAccessKey: "wrong" }, /SignatureDoesNotMatch/],
    ["an unknown account", { accessKeyId: "nobody" }, /InvalidAccessKeyId/],
    ["a bucket that isn't there", { bucket: "nowhere" }, /NoSuchBucket/],
  ])("says what is wrong with %s, keeps the file, and tells no secret", async (_what, change, error) => {
    const store = open(change);
    await record(store);
    await store.tend();
    expect(errors.join()).toMatch(error);
    expect(errors.join()).not.toMatch(/S3RVER|wrong|nobody/);
    expect(await localSize()).toBe(58 + 32_000);
  });

  it("is closed within its limit while an upload hangs", async () => {
    const store = s3RecordingStore({
      // Nobody answers there: the address is for documentation.
      settings: { ...server.settings, endpoint: "http://192.0.2.1:9" },
      directory,
      closeWithinMs: 50,
      onError: (error) => errors.push(String(error)),
    });
    await record(store);
    await store.close();
    expect(errors).toHaveLength(1);
    expect(await localSize()).toBe(58 + 32_000);
  });
});
