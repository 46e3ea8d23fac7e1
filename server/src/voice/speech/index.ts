export { DEFAULT_VOICE, findVoice, type VoiceId, voiceCatalog } from "./catalog.ts";
export { createSpeech, type SpeechOptions } from "./create-speech.ts";
export type { Speech, SpeechSampleRate } from "./speech.ts";
export { wavFile } from "./wav.ts";
