export { findVoice, voiceCatalog } from "./catalog.ts";
export { createSpeech } from "./create-speech.ts";
export type { Speech } from "./speech.ts";
export { wavFile } from "./wav.ts";
