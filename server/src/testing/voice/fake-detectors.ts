import { FRAME_MS } from "../../voice/media/media-leg.ts";
import type { AnsweredBy, Detectors } from "../../voice/session/detectors.ts";

/** Louder than that is a beep, not speech. */
export const BEEP_AMPLITUDE = 20_000;
const SPEECH_AMPLITUDE = 1_000;
const HANGOVER_MS = 400;

/**
 * Detectors by loudness alone: what is loud is speech, what is very loud is a beep. Who answered is decided by how long
 * the first speech lasts: up to 2 s a human, longer a machine.
 */
export function fakeDetectors(verdict?: AnsweredBy | "never"): Detectors {
  const loudness = (samples: Int16Array) => Math.abs(samples[0] ?? 0);
  return {
    speech() {
      let startedMs: number | null = null;
      let lastMs = 0;
      let nowMs = 0;
      return {
        push(samples) {
          nowMs += FRAME_MS;
          const level = loudness(samples);
          if (level >= SPEECH_AMPLITUDE && level < BEEP_AMPLITUDE) {
            lastMs = nowMs;
            if (startedMs !== null) return null;
            startedMs = nowMs - FRAME_MS;
            return { type: "started" };
          }
          if (startedMs === null || nowMs - lastMs < HANGOVER_MS) return null;
          const durationMs = lastMs - startedMs;
          startedMs = null;
          return { type: "ended", durationMs };
        },
        close() {},
      };
    },
    machine() {
      let spokenMs = 0;
      let silentMs = 0;
      return {
        push(samples) {
          if (verdict) return verdict === "never" ? null : verdict;
          if (loudness(samples) >= SPEECH_AMPLITUDE) {
            spokenMs += FRAME_MS;
            silentMs = 0;
          } else if (spokenMs > 0) silentMs += FRAME_MS;
          if (spokenMs > 2_000) return "machine";
          return silentMs >= HANGOVER_MS ? "human" : null;
        },
      };
    },
    beep() {
      let heardMs = 0;
      return {
        push(samples) {
          if (loudness(samples) >= BEEP_AMPLITUDE) {
            heardMs += FRAME_MS;
            return false;
          }
          const over = heardMs >= 200;
          heardMs = 0;
          return over;
        },
      };
    },
    digits: () => ({ push: () => null }),
  };
}
