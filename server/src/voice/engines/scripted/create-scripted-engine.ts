import type { Speech } from "../../speech/speech.ts";
import type { VoiceEngine } from "../engine.ts";
import { createScriptedSession } from "./scripted-session.ts";

/**
 * The engine that needs no account. It speaks with the embedded voices and understands what it can honestly know: words
 * that the carrier knows were said, keyed digits, and that somebody spoke.
 */
export function createScriptedEngine({ speech }: { speech: Speech }): VoiceEngine {
  return {
    name: "scripted",
    transcribes: false,
    start: async (conversation) => createScriptedSession(speech, conversation),
    async close() {},
  };
}
