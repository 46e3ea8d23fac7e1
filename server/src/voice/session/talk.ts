import type { EngineEvent, EngineSession } from "../engines/engine.ts";
import type { CallContext } from "./call-context.ts";
import { startClosing } from "./closing.ts";
import type { SpeechActivity } from "./detectors.ts";
import type { EngineLink } from "./engine-link.ts";
import type { Ending } from "./outcomes.ts";
import { sentences } from "./sentences.ts";
import { createToolCalls } from "./tool-calls.ts";
import type { ToolGate } from "./tool-gate.ts";
import { createTransferring } from "./transferring.ts";

/** The agent and the person talk: from when it is known that a person is there to the last words. */
export interface Talk {
  /** Announces the recording where there is one, then lets the engine begin. */
  begin(): void;
  /** 20 ms of what the person said. */
  hear(samples: Int16Array): void;
  activity(activity: SpeechActivity): void;
  said(text: string): void;
  keyed(digit: string): void;
  engineEvent(event: EngineEvent): void;
  engineFailed(message: string): void;
  played(utteranceId: string): void;
  /** The 20 ms that the person is to hear now: 160 samples, valid until the next call. */
  out(samples: Int16Array): Int16Array;
  /** To be called every 20 ms once they are sent. */
  afterSend(): void;
  /** Says a last sentence (null: lets the engine's own be played) and ends the call. Once. */
  wrapUp(lastWords: LastWords): void;
  /** Confirms in one sentence that the person isn't called again, and ends the call. @param reason why it ends, in words */
  optedOut(reason: string): void;
  /** The call is over. */
  end(): void;
}

export interface LastWords {
  sentence: string | null;
  withinMs: number;
  /** What is being said is thrown away first. */
  interrupt: boolean;
  ending: Ending;
}

/** Waits no longer for the announcement to be spoken: 5 s. */
const ANNOUNCED_WITHIN_MS = 5_000;
/** An engine that owes an answer for so long has fallen silent. */
const ENGINE_SILENT_MS = 30_000;
/** Shorter noises need no answer. */
const OWES_ANSWER_MS = 600;
const END_CALL_WITHIN_MS = 10_000;
/** The whole call ends within 10 s of an opt-out. */
const OPT_OUT_WITHIN_MS = 9_000;
const TROUBLE_WITHIN_MS = 9_000;

export function createTalk(
  context: CallContext,
  link: EngineLink,
  engine: { scripted: boolean },
  gate: ToolGate,
  ringTimeoutMs: number,
): Talk {
  const { setup, ports, speaker, heard, logger } = context;
  let beginning: { atMs: number } | null = null;
  let begun = false;
  let closing: (() => void) | null = null;
  let owedSinceMs: number | null = null;
  let failure: string | null = null;
  let sentenceCount = 0;
  /** What is said while a colleague is being called, for the engine to hear when that fails. */
  let heldBack: ((session: EngineSession) => void)[] | null = null;

  const owe = () => (owedSinceMs ??= context.now());
  const tell = (what: (session: EngineSession) => void) => {
    if (heldBack) heldBack.push(what);
    else link.tell(what);
  };
  const completed = (reason: string): Ending => ({ status: "completed", outcome: null, reason });

  const sayOwn = async (text: string) => {
    try {
      const samples = await context.synthesize(text);
      if (context.isOver()) return false;
      speaker.own(text, samples);
      return true;
    } catch (error) {
      logger.error({ err: error }, "a sentence couldn't be spoken");
      return false;
    }
  };
  const say = (text: string) => {
    const utteranceId = `sentence-${++sentenceCount}`;
    if (link.isAlive()) link.tell((session) => session.say(text, utteranceId));
    else void sayOwn(text);
  };

  const interrupt = () => {
    if (closing || speaker.speaksOwn() || transferring.isUnderWay()) return;
    for (const { utteranceId, playedMs } of speaker.interrupt()) {
      link.tell((session) => session.interrupted(utteranceId, playedMs));
    }
  };

  const wrapUp = ({ sentence, withinMs, ending, ...how }: LastWords) => {
    if (closing || context.isOver()) return;
    if (how.interrupt) {
      for (const { utteranceId, playedMs } of speaker.interrupt()) {
        link.tell((session) => session.interrupted(utteranceId, playedMs));
      }
    }
    // The engine is asked only once it talks: before that it has its greeting to say.
    const askEngine = (text: string, utteranceId: string) => {
      if (!begun) return false;
      link.tell((session) => session.say(text, utteranceId));
      return link.isAlive();
    };
    owedSinceMs = null;
    closing = () => undefined;
    closing = startClosing({
      speaker,
      sentence,
      withinMs,
      askEngine,
      sayOwn,
      onDone: () => context.finish(ending),
    });
  };

  const optedOut = (reason: string) =>
    wrapUp({
      sentence: sentences.optOutConfirmed,
      withinMs: OPT_OUT_WITHIN_MS,
      interrupt: true,
      ending: completed(reason),
    });

  const trouble = (message: string) => {
    failure = message;
    // A call that is ending, or is in a colleague's hands, needs no engine.
    if (closing || transferring.isUnderWay() || !begun) return;
    wrapUp({
      sentence: sentences.trouble,
      withinMs: TROUBLE_WITHIN_MS,
      interrupt: true,
      ending: { status: "failed", outcome: "failed", reason: `The voice engine failed: ${message}` },
    });
  };

  const transferring = createTransferring({
    context,
    ringTimeoutMs,
    onDialing() {
      say(sentences.connecting);
      heldBack = [];
    },
    onJoined() {
      heldBack = null;
      link.close();
      speaker.endOpen();
      tools.note("transfer_to_human", "joined.");
    },
    onFailed(toolCallId, error) {
      const missed = heldBack ?? [];
      heldBack = null;
      tools.note("transfer_to_human", `failed. ${error}`);
      if (failure !== null) return trouble(failure);
      link.tell((session) =>
        session.toolResult(toolCallId, { ok: false, error: "Nobody could be reached." }),
      );
      say(sentences.transferFailed);
      for (const what of missed) link.tell(what);
    },
  });

  const tools = createToolCalls({
    context,
    gate,
    source: engine.scripted ? "script" : "model",
    refusal(name) {
      // Nobody's wish is lost because it came during the goodbye.
      if (closing) return name === "record_opt_out" ? null : "The call is ending.";
      return transferring.isUnderWay() ? "A colleague is being called." : null;
    },
    answer(id, result) {
      owe();
      link.tell((session) => session.toolResult(id, result));
    },
    endCall: () =>
      wrapUp({
        sentence: null,
        withinMs: END_CALL_WITHIN_MS,
        interrupt: false,
        ending: completed("The agent ended the call."),
      }),
    transfer: (id) => transferring.start(id),
    optedOut: () => optedOut("The person asked not to be called again."),
    optOutFailed: () => say(sentences.optOutFailed),
  });

  const beginEngine = () => {
    if (begun || context.isOver()) return;
    begun = true;
    if (failure !== null) return trouble(failure);
    if (setup.firstSpeaker === "agent") owe();
    link.tell((session) => session.begin());
  };

  return {
    begin() {
      if (beginning) return;
      beginning = { atMs: context.now() };
      if (!setup.recording) return beginEngine();
      const record = () => context.recorder.begin(() => context.queue.run(() => ports.openRecording()));
      if (setup.recordingAnnouncement === null) {
        record();
        return beginEngine();
      }
      const announcement = setup.recordingAnnouncement;
      context.synthesize(announcement).then(
        (samples) => {
          // Too late, or the call is over: what isn't announced isn't recorded.
          if (begun || context.isOver()) return;
          record();
          speaker.own(announcement, samples);
          beginEngine();
        },
        (error: unknown) => {
          logger.error({ err: error }, "the recording couldn't be announced, and isn't made");
          beginEngine();
        },
      );
    },
    hear(samples) {
      if (beginning && !begun && context.now() - beginning.atMs >= ANNOUNCED_WITHIN_MS) beginEngine();
      if (!begun || heldBack) return;
      link.tell((session) => session.hear(samples));
      if (owedSinceMs === null || closing || tools.areRunning() || transferring.isUnderWay()) return;
      if (context.now() - owedSinceMs < ENGINE_SILENT_MS) return;
      link.close();
      trouble("it fell silent");
    },
    activity(activity) {
      if (activity.type === "started") {
        interrupt();
        tell((session) => session.speechStarted());
      } else {
        if (begun && activity.durationMs >= OWES_ANSWER_MS) owe();
        tell((session) => session.speechEnded(activity.durationMs));
      }
    },
    said(text) {
      heard.words(text, "simulated");
      if (begun) owe();
      tell((session) => session.said(text));
    },
    keyed(digit) {
      heard.digit(digit);
      interrupt();
      if (begun) owe();
      tell((session) => session.keyed(digit));
    },
    engineEvent(event) {
      owedSinceMs = null;
      switch (event.type) {
        case "audio":
          return speaker.audio(event.utteranceId, event.samples);
        case "text":
          return speaker.text(event.utteranceId, event.text, event.source);
        case "spoken":
          return speaker.spoken(event.utteranceId);
        case "heard":
          return heard.words(event.text, event.source);
        case "interrupt":
          return interrupt();
        case "tool_call":
          return tools.called(event.id, event.name, event.arguments);
      }
    },
    engineFailed: trouble,
    played(utteranceId) {
      link.tell((session) => session.played(utteranceId));
    },
    out(samples) {
      const colleague = transferring.tick(samples);
      return colleague && speaker.isQuiet() ? colleague : speaker.next();
    },
    afterSend: () => closing?.(),
    wrapUp,
    optedOut,
    end() {
      transferring.end();
      link.close();
    },
  };
}
