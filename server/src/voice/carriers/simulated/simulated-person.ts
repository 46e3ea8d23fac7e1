import { FRAME_MS, FRAME_SAMPLES, type MediaLeg } from "../../media/media-leg.ts";
import type { SpeechDetector } from "../../session/detectors.ts";
import type { Speech } from "../../speech/speech.ts";
import type { Step } from "./scenarios.ts";
import { beep } from "./tone.ts";

export interface Person {
  /** Puts down the phone without a word. Idempotent. */
  leave(): void;
}

/** The media clock, as far as it is needed here. */
export interface Ticker {
  add(tick: (frameIndex: number) => void): () => void;
}

export interface PersonOptions {
  /** The far side's end of the line. Closed when the script is over. */
  leg: MediaLeg;
  mediaClock: Ticker;
  /** Listens to the agent. Closed when the person leaves. */
  speechDetector: SpeechDetector;
  script: readonly Step[];
  lines: Lines;
  onSaid(text: string): void;
  /** The script is over: the person hangs up. Not called after `leave`. */
  onDone(): void;
}

const SILENCE = new Int16Array(FRAME_SAMPLES);

/** What a person is going to say, spoken. */
export interface Lines {
  /** Null while it is being made. */
  get(text: string): Int16Array | null;
  /** The first words are there: a person who answers without them would be silent. */
  ready(): boolean;
}

/** Begins to speak every line of a script, in its order: each is there, or nearly, when its turn comes. */
export function prepareLines(speech: Speech, voice: string, script: readonly Step[]): Lines {
  const texts = script.flatMap((step) =>
    "say" in step ? [step.say] : "keepSaying" in step ? [step.keepSaying] : [],
  );
  const made = new Map<string, Int16Array>();
  for (const text of texts) {
    speech.synthesize(text, voice).then(
      (samples) => made.set(text, samples),
      // A voice that can't be made leaves the line silent, as a bad line would: the call goes on.
      () => made.set(text, SILENCE),
    );
  }
  return {
    get: (text) => made.get(text) ?? null,
    ready: () => texts.length === 0 || made.has(texts[0]!),
  };
}

/**
 * Somebody on the far side: hears the agent through the line, and nothing else, and speaks by a script. Everything is
 * counted in frames, so that it runs at the pace of the media clock, also one moved by hand.
 */
export function startPerson(options: PersonOptions): Person {
  const { leg, lines, speechDetector } = options;
  const script = [...options.script];

  let speaking: { samples: Int16Array; at: number; text: string | null } | null = null;
  let agentSpeaks = false;
  let agentSpoke = false;
  let framesInStep = 0;
  let over = false;

  const nextStep = () => {
    script.shift();
    framesInStep = 0;
    agentSpoke = false;
  };

  const begin = (samples: Int16Array, text: string | null) => {
    speaking = { samples, at: 0, text };
  };

  /** @returns true while the step isn't over */
  const runStep = (step: Step): boolean => {
    const elapsed = framesInStep * FRAME_MS;
    if ("waitMs" in step) return elapsed < step.waitMs;
    if ("hearAgentWithinMs" in step) {
      if (agentSpoke && !agentSpeaks) return false;
      return agentSpoke || agentSpeaks || elapsed < step.hearAgentWithinMs;
    }
    if ("beepMs" in step) {
      begin(beep(step.beepMs), null);
      return false;
    }
    const text = "say" in step ? step.say : step.keepSaying;
    if ("keepSaying" in step) {
      const itsTurn = (agentSpoke && !agentSpeaks) || (!agentSpeaks && elapsed >= step.everyMs);
      if (!itsTurn) return true;
    }
    const samples = lines.get(text);
    if (samples === null) return true;
    begin(samples, text);
    if ("say" in step) return false;
    framesInStep = 0;
    agentSpoke = false;
    return true;
  };

  const end = () => {
    over = true;
    removeTick();
    speechDetector.close();
    leg.close();
  };

  const removeTick = options.mediaClock.add(() => {
    const heard = leg.receive();
    const activity = speechDetector.push(heard?.samples ?? SILENCE);
    if (activity?.type === "started") agentSpeaks = true;
    if (activity?.type === "ended") {
      agentSpeaks = false;
      agentSpoke = true;
    }
    if (speaking) {
      leg.send(frameAt(speaking.samples, speaking.at));
      speaking.at += FRAME_SAMPLES;
      if (speaking.at < speaking.samples.length) return;
      const { text } = speaking;
      speaking = null;
      if (text !== null) options.onSaid(text);
      return;
    }
    leg.send(SILENCE);
    const step = script[0];
    if (!step) {
      end();
      options.onDone();
      return;
    }
    framesInStep++;
    if (!runStep(step)) nextStep();
  });

  return {
    leave() {
      if (!over) end();
    },
  };
}

function frameAt(samples: Int16Array, at: number): Int16Array {
  const part = samples.subarray(at, at + FRAME_SAMPLES);
  if (part.length === FRAME_SAMPLES) return part;
  const frame = new Int16Array(FRAME_SAMPLES);
  frame.set(part);
  return frame;
}
