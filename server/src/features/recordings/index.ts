export { startRecordingKeeper } from "./keep-recordings.ts";
export { openRecordingStore } from "./open-recording-store.ts";
export { recordingKey } from "./recording-key.ts";
export { recordingLink } from "./recording-link.ts";
export type { RecordingStore } from "./recording-store.ts";
export { recordingsRoutes } from "./recordings.routes.ts";
