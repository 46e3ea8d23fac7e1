import { agentInstructions } from "../agent-instructions.ts";
import type { Conversation } from "../engine.ts";

/** How a server wants to be spoken to: as today's interface, or as the one before it, which many open servers still speak. */
export type Dialect = "current" | "older";

export interface SessionSettings {
  conversation: Conversation;
  /** The server's name of the voice. */
  voice: string;
  transcriptionModel: string;
}

/** The older interface refuses others. */
const OLDER_TEMPERATURES = { least: 0.6, most: 1.2 };

/**
 * The body of `session.update`: µ-law both ways as the phone has it, both transcripts, no turn detection of the server's
 * (the session's own voice activity decides whose turn it is).
 */
export function sessionSettings(
  { conversation, voice, transcriptionModel }: SessionSettings,
  dialect: Dialect,
): object {
  const instructions = agentInstructions(conversation);
  const tools = conversation.tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    parameters,
  }));
  const both = { instructions, tools, tool_choice: tools.length > 0 ? "auto" : "none" };
  const transcription = { model: transcriptionModel };
  if (dialect === "older") {
    const { least, most } = OLDER_TEMPERATURES;
    return {
      ...both,
      modalities: ["audio", "text"],
      voice,
      input_audio_format: "g711_ulaw",
      output_audio_format: "g711_ulaw",
      input_audio_transcription: transcription,
      turn_detection: null,
      temperature: Math.min(most, Math.max(least, conversation.temperature)),
    };
  }
  const format = { type: "audio/pcmu" };
  return {
    ...both,
    type: "realtime",
    output_modalities: ["audio"],
    audio: {
      input: { format, transcription, turn_detection: null },
      output: { format, voice },
    },
  };
}
