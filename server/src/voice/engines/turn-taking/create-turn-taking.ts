// One reason for its length: every rule of whose turn it is stands here, for all engines with a model.
import { readOptOut } from "../../../opt-out-rules/index.ts";
import { directions, SILENCE_GOODBYE } from "../agent-instructions.ts";
import type { Conversation, EngineEvent, EngineSession, ToolResult } from "../engine.ts";
import type { Emit, Responder } from "./responder.ts";
import { createSoundBefore } from "./sound-before.ts";

/** 20 ms each, counted by `hear`: no conversation holds a timer for its silences. */
const FRAMES_PER_SECOND = 50;
/** Whom the agent waits for at the beginning is spoken to sooner. */
const FIRST_NUDGE_AFTER_FRAMES = 6 * FRAMES_PER_SECOND;
const NUDGE_AFTER_FRAMES = 10 * FRAMES_PER_SECOND;
const MOST_NUDGES = 2;
/** A cough needs no answer, unless it cut the agent off. */
const SHORTEST_SPEECH_MS = 300;
/** The session waits for an answer to speech from this length on. */
const ALWAYS_ANSWERED_MS = 600;
/** Digits with no longer pause between them are told together. */
const DIGITS_WITHIN_FRAMES = FRAMES_PER_SECOND;
/** Words that the carrier knows come about when the speech ends: by then they are those of speech already taken. */
const SAME_SPEECH_FRAMES = 1.5 * FRAMES_PER_SECOND;
/** The session's own words about a tool come at once, or not at all. */
const SESSION_SPEAKS_WITHIN_FRAMES = FRAMES_PER_SECOND / 2;
const GOODBYE = "silence-goodbye";
/** What the session itself says something about. */
const WORDLESS_TOOLS: ReadonlySet<string> = new Set(["end_call", "transfer_to_human", "record_opt_out"]);

/**
 * Decides when a responder hears, speaks and is silent: by the session's voice activity alone, so that the ear that
 * stops the agent is the ear that has it answer.
 */
export function createTurnTaking(conversation: Conversation, open: (emit: Emit) => Responder): EngineSession {
  const { firstSpeaker } = conversation;
  const greeting = conversation.greeting.trim();
  const grantsOptOut = conversation.tools.some(({ name }) => name === "record_opt_out");
  const sound = createSoundBefore();
  const before = { said: [] as string[], digits: "", spoke: false };
  /** Utterances that have begun and aren't played yet. */
  const unplayed = new Set<string>();
  const calledTools = new Map<string, string>();
  /** Of the opt-out that was read in the person's words, whatever the model made of them. */
  let ownOptOut: { id: string; failed: boolean } | null = null;
  let optOutCount = 0;

  let closed = false;
  let begun = false;
  let greeted = false;
  let leaving = false;
  let personSpeaks = false;
  let capturing = false;
  let wordsKnown = false;
  /** The person cut in, or an answer was given up for them: whatever they say is answered. */
  let owesAnswer = false;
  let framesSinceCaptured = Number.POSITIVE_INFINITY;
  let silentFrames = 0;
  let nudges = 0;
  let digits = "";
  let framesSinceDigit = 0;
  let framesToSpeak: number | null = null;

  const emit: Emit = (event) => {
    if (closed) return;
    watch(event);
    if (event.type === "tool_call" && event.name === "record_opt_out" && ownOptOut && !ownOptOut.failed) {
      responder.toolResult(event.id, { ok: true, result: {} });
      return;
    }
    conversation.emit(event);
    if (event.type === "heard" && event.source === "stt") mindOptOut(event.text);
    if (event.type === "spoken" && event.utteranceId === GOODBYE) {
      conversation.emit({
        type: "tool_call",
        id: GOODBYE,
        name: "end_call",
        arguments: { reason: "Nobody was heard any more." },
      });
    }
  };
  const responder = open(emit);

  function watch(event: EngineEvent) {
    if (event.type === "audio") unplayed.add(event.utteranceId);
    if (event.type === "tool_call") calledTools.set(event.id, event.name);
    if (event.type === "audio" || event.type === "tool_call") silentFrames = 0;
  }

  /** No wish is lost because a model overheard it. @returns whether it was one */
  function mindOptOut(text: string): boolean {
    if (!grantsOptOut || !readOptOut(text, { channel: "call", speaker: "user" }).opt_out) return false;
    if (ownOptOut && !ownOptOut.failed) return true;
    responder.stop();
    ownOptOut = { id: `opt-out-${++optOutCount}`, failed: false };
    const evidence = text.trim().slice(0, 1_000);
    conversation.emit({
      type: "tool_call",
      id: ownOptOut.id,
      name: "record_opt_out",
      arguments: { evidence },
    });
    return true;
  }

  function answer(always: boolean) {
    owesAnswer = false;
    // The session confirms it, and ends the call.
    if (ownOptOut && !ownOptOut.failed) return;
    silentFrames = 0;
    if (greeted || greeting === "") {
      greeted = true;
      responder.answer(always);
    } else greet();
  }

  /** Nobody is talked over: who speaks is answered when they have ended. */
  function answerSoon() {
    if (personSpeaks) owesAnswer = true;
    else answer(true);
  }

  function greet() {
    greeted = true;
    silentFrames = 0;
    responder.greet(greeting);
  }

  function keysPressed(keys: string) {
    responder.userText(`[The person pressed ${keys.length === 1 ? "the key" : "the keys"} ${keys}]`);
  }

  function nudge() {
    silentFrames = 0;
    if (!greeted) return greet();
    if (++nudges <= MOST_NUDGES) return responder.direct(directions.stillThere);
    leaving = true;
    responder.say(SILENCE_GOODBYE, GOODBYE);
  }

  /** What is counted in frames. */
  function tick() {
    framesSinceCaptured++;
    if (digits !== "" && ++framesSinceDigit >= DIGITS_WITHIN_FRAMES) {
      keysPressed(digits);
      digits = "";
      answer(true);
    }
    if (framesToSpeak !== null && --framesToSpeak <= 0) {
      framesToSpeak = null;
      answerSoon();
    }
    const waits = !personSpeaks && !leaving && unplayed.size === 0 && !responder.busy;
    silentFrames = waits ? silentFrames + 1 : 0;
    if (silentFrames >= (greeted ? NUDGE_AFTER_FRAMES : FIRST_NUDGE_AFTER_FRAMES)) nudge();
  }

  function capture() {
    capturing = true;
    responder.speechBegan(sound.take());
  }

  function endCapture(isKept: boolean) {
    if (!capturing) return;
    capturing = false;
    if (!isKept) return responder.speechDropped();
    framesSinceCaptured = 0;
    responder.speechEnded();
  }

  /** Nothing that is told may throw into the session. */
  const guarded =
    <Args extends unknown[]>(action: (...args: Args) => void) =>
    (...args: Args): void => {
      if (closed) return;
      try {
        action(...args);
      } catch (error) {
        conversation.emit({
          type: "failed",
          message: error instanceof Error ? error.message : String(error),
        });
      }
    };

  return {
    begin: guarded(() => {
      if (begun) return;
      begun = true;
      if (personSpeaks) capture();
      for (const text of before.said) responder.userText(text);
      if (before.digits !== "") keysPressed(before.digits);
      if (before.said.some(mindOptOut)) return;
      if (firstSpeaker === "agent") return greet();
      if (!personSpeaks && (before.spoke || before.said.length > 0 || before.digits !== "")) answer(true);
    }),
    hear: guarded((samples: Int16Array) => {
      if (!begun) return;
      if (capturing) responder.speechWent(samples);
      else sound.push(samples);
      tick();
    }),
    speechStarted: guarded(() => {
      if (personSpeaks) return;
      personSpeaks = true;
      wordsKnown = false;
      nudges = 0;
      if (!begun) return;
      if (responder.stop()) owesAnswer = true;
      capture();
    }),
    speechEnded: guarded((durationMs: number) => {
      personSpeaks = false;
      if (!begun) {
        before.spoke ||= durationMs >= SHORTEST_SPEECH_MS;
        return;
      }
      if (wordsKnown) return endCapture(false);
      const isWorthIt = durationMs >= SHORTEST_SPEECH_MS || owesAnswer;
      endCapture(isWorthIt);
      if (isWorthIt) answer(owesAnswer || durationMs >= ALWAYS_ANSWERED_MS);
    }),
    said: guarded((text: string) => {
      nudges = 0;
      if (!begun) return void before.said.push(text);
      if (!personSpeaks && framesSinceCaptured < SAME_SPEECH_FRAMES) return void mindOptOut(text);
      wordsKnown = true;
      if (mindOptOut(text)) return endCapture(false);
      endCapture(false);
      responder.userText(text);
      answer(true);
    }),
    keyed: guarded((digit: string) => {
      nudges = 0;
      if (!begun) {
        before.digits += digit;
        return;
      }
      // A tone in the audio is no speech.
      if (capturing) endCapture(false);
      wordsKnown = true;
      digits += digit;
      framesSinceDigit = 0;
    }),
    interrupted: guarded((utteranceId: string, playedMs: number) => {
      unplayed.delete(utteranceId);
      owesAnswer = true;
      responder.interrupted(utteranceId, playedMs);
    }),
    played: guarded((utteranceId: string) => void unplayed.delete(utteranceId)),
    toolResult: guarded((toolCallId: string, result: ToolResult) => {
      if (ownOptOut?.id === toolCallId) {
        ownOptOut.failed = !result.ok;
        return;
      }
      const name = calledTools.get(toolCallId);
      if (name === undefined) return;
      calledTools.delete(toolCallId);
      responder.toolResult(toolCallId, result);
      if (WORDLESS_TOOLS.has(name)) framesToSpeak = result.ok ? null : SESSION_SPEAKS_WITHIN_FRAMES;
      else if (![...calledTools.values()].some((other) => !WORDLESS_TOOLS.has(other))) answerSoon();
    }),
    say: guarded((text: string, utteranceId: string) => {
      silentFrames = 0;
      framesToSpeak = null;
      responder.say(text, utteranceId);
    }),
    close() {
      if (closed) return;
      closed = true;
      responder.close();
    },
  };
}
