import { VoiceError } from "./voice-error.ts";

/** Asks for the microphone. @throws VoiceError that says what the person can do */
export async function openMicrophone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
    });
  } catch (cause) {
    const name = cause instanceof DOMException ? cause.name : "";
    if (name === "NotAllowedError" || name === "SecurityError")
      throw new VoiceError(
        "microphone_denied",
        "The microphone was refused. Allow it for this page in the browser's address bar, then try again.",
        { cause },
      );
    if (name === "NotFoundError" || name === "OverconstrainedError")
      throw new VoiceError("microphone_missing", "No microphone was found. Connect one, then try again.", {
        cause,
      });
    throw new VoiceError(
      "microphone_failed",
      "The microphone can't be opened. Close other programs that use it, then try again.",
      { cause },
    );
  }
}
