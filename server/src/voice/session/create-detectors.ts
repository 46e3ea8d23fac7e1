import { createBeepDetector, createMachineDetector } from "../answering-machine/index.ts";
import type { VoiceActivity } from "../media/voice-activity.ts";
import type { Detectors, DigitDetector } from "./detectors.ts";

/** What every call listens with. */
export function createDetectors(parts: { voiceActivity: VoiceActivity; digits(): DigitDetector }): Detectors {
  return {
    speech: () => parts.voiceActivity.createSpeechDetector(),
    machine() {
      const detector = createMachineDetector();
      return { push: (samples) => detector.push(samples)?.by ?? null };
    },
    beep: () => createBeepDetector(),
    digits: parts.digits,
  };
}
