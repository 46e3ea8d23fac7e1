export type { Call, CallEvents, CallState, Ended, Levels, TranscriptLine } from "./call.ts";
export { type ConnectOptions, connect } from "./connect.ts";
export { VoiceError, type VoiceErrorCode } from "./voice-error.ts";
