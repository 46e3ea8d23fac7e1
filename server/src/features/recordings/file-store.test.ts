import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileRecordingStore } from "./file-store.ts";
import { recordingStoreContract } from "./recording-store.contract.ts";

recordingStoreContract("a directory of files", async () => {
  const parent = await mkdtemp(join(tmpdir(), "outreach-recordings-"));
  const directory = join(parent, "recordings");
  return {
    directory,
    open: () =>
      fileRecordingStore({
        directory,
        onError(error) {
          throw error;
        },
      }),
    close: () => rm(parent, { recursive: true }),
  };
});

it("refuses to begin a recording where no file can be made", async () => {
  const directory = join(await mkdtemp(join(tmpdir(), "outreach-recordings-")), "recordings");
  await writeFile(directory, "a file where the directory should be");
  const store = fileRecordingStore({ directory, onError() {} });
  const key = "0190f0f0-0000-7000-8000-000000000000/2026-11/0190f0f0-0000-7000-8000-000000000001.wav";
  await expect(store.create(key)).rejects.toThrow();
  expect(await store.size(key)).toBeNull();
  expect(await store.unfinished()).toEqual([]);
  await rm(join(directory, ".."), { recursive: true });
});
