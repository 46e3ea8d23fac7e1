import type { CallContext } from "./call-context.ts";
import type { AnsweredBy, Detectors, SpeechActivity } from "./detectors.ts";
import { createScreening } from "./screening.ts";
import { createVoicemail, type Voicemail } from "./voicemail.ts";

/** The first seconds of an answered phone call: finds out who answered, and leaves the message on a machine. */
export interface Answering {
  /** 20 ms of what the far side says. */
  hear(samples: Int16Array): void;
  activity(activity: SpeechActivity): void;
  /** A machine answered: the call is a voicemail however it ends. */
  readonly isMachine: boolean;
}

export interface AnsweringOptions {
  context: CallContext;
  detectors: Detectors;
  /** A human answered, or it couldn't be told. */
  onPerson(): void;
  /** A machine answered: the engine isn't needed. */
  onMachine(): void;
}

/** The whole message, with the greeting before it. */
const VOICEMAIL_WITHIN_MS = 180_000;

export function createAnswering({ context, detectors, onPerson, onMachine }: AnsweringOptions): Answering {
  const { setup, ports, queue, logger, speaker } = context;
  const screening = createScreening(detectors.machine(), detectors.beep());
  let answeredBy: AnsweredBy | null = null;
  let voicemail: Voicemail | null = null;
  let speaking = false;

  const finish = (reason: string) => context.finish({ status: "voicemail", outcome: "voicemail", reason });

  const leaveMessage = (message: string, beeped: boolean) => {
    const startedMs = context.now();
    let queued = false;
    const spoken = context.synthesize(message);
    const failed = (error: unknown) => {
      logger.error({ err: error }, "the voicemail message couldn't be spoken");
      finish("An answering machine answered; the message couldn't be spoken.");
    };
    spoken.catch(failed);
    voicemail = createVoicemail({
      beep: detectors.beep(),
      beeped,
      speaking,
      speak() {
        spoken
          .then((samples) => {
            if (!context.isOver()) speaker.own(message, samples);
            queued = true;
          })
          .catch(() => undefined);
      },
      spoken: () => (queued && speaker.isQuiet()) || context.now() - startedMs >= VOICEMAIL_WITHIN_MS,
      onDone: () => finish("A message was left on the answering machine."),
    });
  };

  return {
    hear(samples) {
      if (answeredBy !== null) return voicemail?.hear(samples);
      const verdict = screening(samples);
      if (!verdict) return;
      answeredBy = verdict.answeredBy;
      queue
        .run(() => ports.classified(verdict.answeredBy))
        .catch((error: unknown) => logger.error({ err: error }, "who answered couldn't be stored"));
      if (answeredBy !== "machine") return onPerson();
      onMachine();
      if (setup.voicemailMessage === null) {
        return finish("An answering machine answered; no message is to be left.");
      }
      if (setup.recording) context.recorder.begin(() => queue.run(() => ports.openRecording()));
      leaveMessage(setup.voicemailMessage, verdict.beeped);
    },
    activity(activity) {
      speaking = activity.type === "started";
      voicemail?.activity(activity);
    },
    get isMachine() {
      return answeredBy === "machine";
    },
  };
}
