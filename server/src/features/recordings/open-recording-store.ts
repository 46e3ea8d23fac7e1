import { join } from "node:path";
import type { Config } from "../../config.ts";
import { fileRecordingStore } from "./file-store.ts";
import type { RecordingStore } from "./recording-store.ts";
import { s3RecordingStore } from "./s3-store.ts";

/** The store that the configuration names: a bucket, else files in DATA_DIR. */
export function openRecordingStore(
  config: Pick<Config, "dataDir" | "recordingsS3">,
  onError: (error: unknown, key: string) => void,
): RecordingStore {
  const directory = join(config.dataDir, "recordings");
  const settings = config.recordingsS3;
  return settings
    ? s3RecordingStore({ settings, directory, onError })
    : fileRecordingStore({ directory, onError });
}
