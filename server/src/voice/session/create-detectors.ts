import { createBeepDetector, createMachineDetector } from "../answering-machine/index.ts";
import { createDigitDetector } from "../media/dtmf.ts";
import type { VoiceActivity } from "../media/voice-activity.ts";
import type { Detectors } from "./detectors.ts";

/** What every call listens with. */
export function createDetectors(voiceActivity: VoiceActivity): Detectors {
  return {
    speech: () => voiceActivity.createSpeechDetector(),
    machine() {
      const detector = createMachineDetector();
      return { push: (samples) => detector.push(samples)?.by ?? null };
    },
    beep: createBeepDetector,
    digits: createDigitDetector,
  };
}
