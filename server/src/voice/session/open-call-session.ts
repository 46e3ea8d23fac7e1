// Longer than 300 lines: this is where one call's parts are joined, each of which is a file of its own.
import type { TerminalStatus } from "../call-states.ts";
import type { MediaLeg } from "../media/media-leg.ts";
import type { TranscriptTurn } from "../transcript.ts";
import { type Answering, createAnswering } from "./answering.ts";
import type { CallContext } from "./call-context.ts";
import { watchCallLimits } from "./call-limits.ts";
import { startCallMedia } from "./call-media.ts";
import { createCallRecorder } from "./call-recorder.ts";
import type { CallSession, CallSessionDeps, CallSessionOptions } from "./call-session.ts";
import { createCallStatus } from "./call-status.ts";
import { openEngineLink } from "./engine-link.ts";
import { createHeardTurns } from "./heard-turns.ts";
import { completedOutcome, type Ending } from "./outcomes.ts";
import { createPortQueue } from "./port-queue.ts";
import { type Seating, takeSeat } from "./seating.ts";
import { sentences } from "./sentences.ts";
import { createSpeaker } from "./speaker.ts";
import { createTalk, type Talk } from "./talk.ts";

/** The last words have to fit into what is paid and allowed. */
const LAST_WORDS_WITHIN_MS = 6_000;
const WORDS_WITHIN_MS = 1_000;
/** Speech to text takes its time. */
const TRANSCRIBED_WITHIN_MS = 8_000;

/**
 * Opens the engine and makes the session of a call that is about to be placed.
 * @throws EngineUnavailable
 */
export async function openCallSession(
  deps: CallSessionDeps,
  options: CallSessionOptions,
): Promise<CallSession> {
  const { clock, engine, speech, detectors } = deps;
  const { setup, ports } = options;
  const logger = deps.logger.child({ call_id: setup.callId });
  const queue = createPortQueue();
  const turnListeners: ((turn: TranscriptTurn) => void)[] = [];
  const achieved = { optedOut: false, booked: false, transferred: false };

  let over = false;
  let answeredAt: number | null = null;
  let engineFailure: string | null = null;
  let leg: MediaLeg | null = null;
  /** Of a phone call, until a person is known to be there. */
  let answering: Answering | null = null;
  /** Of a call that needs a seat, from when a person is known to be there. */
  let seating: Seating | null = null;
  let placed = false;
  let talk: Talk | undefined;
  const stops: (() => void)[] = [];
  let resolveEnded: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (resolveEnded = resolve));

  const guarded = (what: string, action: () => void) => {
    try {
      action();
    } catch (error) {
      logger.error({ err: error }, what);
    }
  };
  const time = { ms: 0 };
  const now = () => time.ms;
  const turn = (told: TranscriptTurn) => {
    for (const listener of turnListeners) guarded("a listener to the transcript threw", () => listener(told));
    queue
      .run(() => ports.turn(told))
      .catch((error: unknown) => {
        logger.error({ err: error }, "a turn couldn't be stored");
      });
  };

  const status = createCallStatus((to) => {
    guarded("a listener to the status threw", () => options.onStatus?.(to));
    if (to !== "initiated" && to !== "in-progress") return;
    const at = clock.now();
    queue
      .run(() => ports.moved(to, at))
      .catch((error: unknown) => {
        logger.error({ err: error }, "a transition couldn't be stored");
        finish({ status: "failed", outcome: "failed", reason: `The move to ${to} couldn't be stored.` });
      });
  });

  const speaker = createSpeaker({ now, onTurn: turn, onPlayed: (id) => talk?.played(id) });
  const heard = createHeardTurns({
    role: "user",
    wordsWithinMs: engine.transcribes ? TRANSCRIBED_WITHIN_MS : WORDS_WITHIN_MS,
    now,
    onTurn: turn,
  });
  const recorder = createCallRecorder((error) => logger.error({ err: error }, "the recording failed"));
  const context: CallContext = {
    setup,
    ports,
    queue,
    logger,
    now,
    speaker,
    recorder,
    heard,
    achieved,
    turn,
    synthesize: async (text) => speech.synthesize(text, setup.voice),
    createSpeechDetector: detectors.speech,
    isOver: () => over,
    finish: (ending) => finish(ending),
  };

  function finish(ending: Ending, at = clock.now()): void {
    if (over) return;
    over = true;
    for (const stop of stops) guarded("a timer couldn't be stopped", stop);
    seating?.end();
    guarded("the conversation couldn't be ended", () => talk?.end());
    guarded("the transcript couldn't be finished", () => heard.finish());
    guarded("the transcript couldn't be finished", () => speaker.finish());
    if (!status.move(ending.status)) status.move("failed");
    const final = status.current() as TerminalStatus;
    guarded("the far side couldn't be released", () => options.release(final, ending.reason));
    guarded("the media couldn't be closed", () => leg?.close());
    const recorded = recorder.finish();
    const store = async () => {
      const recordingBytes = await recorded;
      // Decided only now: a tool that was still running may have booked something.
      const outcome = ending.outcome ?? completedOutcome(achieved);
      await ports.ended({ status: final, outcome, reason: ending.reason, at, answeredAt, recordingBytes });
    };
    queue
      .run(store)
      .catch((error: unknown) => logger.error({ err: error }, "the end of a call couldn't be stored"))
      .finally(resolveEnded);
  }

  const fail = (reason: string) => finish({ status: "failed", outcome: "failed", reason });

  /** How a call ends when somebody hung up: one that a machine answered is a voicemail. */
  const endOfAnswered = (reason: string): Ending =>
    answering?.isMachine ? { status: "voicemail", outcome: "voicemail", reason } : endOfPersons(reason);
  /** Of one that a person answered: who found no seat was abandoned, however short the message was cut. */
  const endOfPersons = (reason: string): Ending => ({
    status: "completed",
    outcome: seating?.abandoned ? "abandoned" : null,
    reason,
  });

  function startMedia(media: MediaLeg): void {
    leg = media;
    const stop = startCallMedia({
      leg: media,
      mediaClock: deps.mediaClock,
      detectors,
      recorder,
      time,
      onDigit: keyed,
      onActivity(activity) {
        heard.activity(activity);
        answering?.activity(activity);
        talk?.activity(activity);
      },
      exchange(samples) {
        heard.tick();
        if (answering) answering.hear(samples);
        else talk?.hear(samples);
        return over || !talk ? null : talk.out(samples);
      },
      onSent: () => talk?.afterSend(),
      onLost: () => fail("No audio came from the far side any more."),
      onError(error) {
        logger.error({ err: error }, "a call's media failed");
        fail("The call's media failed.");
      },
    });
    stops.push(stop);
  }

  function keyed(digit: string): void {
    talk?.keyed(digit);
    seating?.keyed(digit);
  }

  function startLimits(since: number): void {
    const reasons = {
      max_duration: "The call reached its longest duration.",
      no_more_money: "The balance didn't suffice for another minute.",
    };
    stops.push(
      watchCallLimits({
        clock,
        answeredAt: since,
        maxDurationMs: setup.maxDurationSeconds * 1_000,
        extendHold: () => queue.run(() => ports.extendHold()),
        onNear(limit) {
          if (answering) return;
          talk?.wrapUp({
            sentence: limit === "max_duration" ? sentences.timeIsUp : sentences.cannotGoOn,
            withinMs: LAST_WORDS_WITHIN_MS,
            interrupt: true,
            ending: { status: "completed", outcome: null, reason: reasons[limit] },
          });
        },
        // What was over a moment ago isn't charged.
        onReached: (limit, at) => finish(endOfAnswered(reasons[limit]), Math.min(at, clock.now())),
        onError: (error) => logger.error({ err: error }, "another minute couldn't be set aside"),
      }),
    );
  }

  function hangup(reason: string): Promise<void> {
    if (answeredAt !== null) finish(endOfPersons(reason));
    else finish({ status: "canceled", outcome: "canceled", reason });
    return ended;
  }

  const link = await openEngineLink({
    clock,
    engine,
    conversation: {
      callId: setup.callId,
      instructions: setup.instructions,
      greeting: setup.greeting,
      firstSpeaker: setup.firstSpeaker,
      voice: setup.voice,
      temperature: setup.temperature,
      tools: setup.tools,
      context: setup.context,
    },
    onEvent: (event) => {
      if (!over) talk?.engineEvent(event);
    },
    onFailed(message) {
      engineFailure = message;
      logger.warn({ reason: message }, "the voice engine failed in a call");
      if (over || !placed) return;
      if (answeredAt === null) fail(`The voice engine failed: ${message}`);
      else talk?.engineFailed(message);
    },
  });
  talk = createTalk(
    context,
    link,
    { scripted: engine.name === "scripted" },
    deps.toolGates(setup.tools),
    deps.ringTimeoutMs,
  );

  return {
    status: status.current,
    ended,
    onTurn: (listener) => void turnListeners.push(listener),
    engineFailure: () => engineFailure,
    discard() {
      over = true;
      link.close();
      resolveEnded();
    },
    placed() {
      placed = true;
      if (engineFailure !== null) fail(`The voice engine failed: ${engineFailure}`);
    },
    async ringing() {
      if (!over && status.move("initiated")) await queue.run(async () => undefined);
    },
    answered(media, screen) {
      if (over || answeredAt !== null) return media.close();
      status.move("initiated");
      if (!status.move("in-progress")) return media.close();
      answeredAt = clock.now();
      try {
        if (screen) {
          answering = createAnswering({
            context,
            detectors,
            onPerson() {
              answering = null;
              if (!talk) return;
              if (setup.abandonedMessage === null) return talk.begin();
              seating = takeSeat({ context, clock, talk, message: setup.abandonedMessage });
            },
            onMachine: () => talk?.end(),
          });
        }
        startMedia(media);
        startLimits(answeredAt);
        if (!screen) talk?.begin();
      } catch (error) {
        logger.error({ err: error }, "an answered call's media couldn't be begun");
        fail("The call's media couldn't be begun.");
      }
    },
    said(text) {
      if (!over) talk?.said(text);
    },
    keyed(digit) {
      if (!over && answeredAt !== null) keyed(digit);
    },
    left(reason) {
      if (answeredAt !== null) finish(endOfAnswered(reason));
      else fail(reason);
    },
    finish,
    hangup,
    optedOut(reason) {
      // Who it is that answered isn't known yet, or it is a machine, or nobody: then there is nobody to tell.
      if (over || answeredAt === null || answering !== null || !talk || seating?.abandoned)
        return hangup(reason);
      achieved.optedOut = true;
      talk.optedOut(reason);
      return ended;
    },
  };
}
