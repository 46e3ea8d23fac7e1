import type { Speech } from "../../speech/speech.ts";
import type { Conversation, EngineSession, ToolName, ToolResult } from "../engine.ts";
import { type Intent, readIntent } from "./intents.ts";
import { acknowledge, booked, cantUnderstand, lines, offered } from "./lines.ts";
import { createMouth } from "./mouth.ts";
import type { NamedTime } from "./spoken-times.ts";

/** 20 ms each, counted by `hear`: the script needs no timers. */
const FRAMES_PER_SECOND = 50;
/** Words of the carrier come at about the end of the speech: so long is waited for them. */
const WORDS_WITHIN_FRAMES = 0.3 * FRAMES_PER_SECOND;
const NUDGE_AFTER_FRAMES = 9 * FRAMES_PER_SECOND;
/** Whom the agent waits for at the beginning is spoken to sooner. */
const FIRST_NUDGE_AFTER_FRAMES = 6 * FRAMES_PER_SECOND;
/** A cough needs no answer; what it cut off is said again. */
const SHORTEST_SPEECH_MS = 400;
/** A line that coughs at whatever it hears isn't said the same for ever. */
const MOST_AGAIN = 2;
const MOST_UNREAD = 3;
const MOST_REPLIES = 40;

/** One conversation by the script. What it does with words is decided by `readIntent` alone. */
export function createScriptedSession(speech: Speech, conversation: Conversation): EngineSession {
  const { emit, firstSpeaker, voice } = conversation;
  const granted: ReadonlySet<ToolName> = new Set(conversation.tools.map(({ name }) => name));
  const greeting = conversation.greeting.trim() || lines.greeting;
  const pending = new Map<string, (result: ToolResult) => void>();

  let closed = false;
  let begun = false;
  let greeted = false;
  let leaving = false;
  let optedOut = false;
  let personSpeaks = false;
  /** Speech that has ended and isn't answered: frames since then. */
  let unansweredFrames: number | null = null;
  let wordsSinceSpeech = false;
  /** The person cut in, and would wait for the rest in silence. */
  let wasCutOff = false;
  let isCough = false;
  let lastSaid = "";
  let saidAgain = 0;
  let silentFrames = 0;
  let nudges = 0;
  let replies = 0;
  let unread = 0;
  let toolCalls = 0;
  let expected: NamedTime | null = null;
  let expectedCallback: NamedTime | null = null;
  const before = { said: [] as string[], digits: [] as string[], spoke: false };

  const mouth = createMouth(speech, voice, (event) => !closed && emit(event), fail);

  function fail(error: unknown) {
    if (!closed) emit({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }

  function call(name: ToolName, args: object, onResult: (result: ToolResult) => void): void {
    const id = `tool-${++toolCalls}`;
    pending.set(id, onResult);
    emit({ type: "tool_call", id, name, arguments: args });
  }

  async function leave(text: string): Promise<void> {
    leaving = true;
    await mouth.say(text);
    if (!closed) call("end_call", { reason: "The conversation is over." }, () => undefined);
  }

  function reply(text: string) {
    unansweredFrames = null;
    silentFrames = 0;
    if (++replies > MOST_REPLIES) void leave(lines.tooLong);
    else speak(text);
  }

  function speak(text: string) {
    saidAgain = text === lastSaid ? saidAgain + 1 : 0;
    lastSaid = text;
    void mouth.say(text);
  }

  function greet() {
    greeted = true;
    speak(greeting);
  }

  function optOut(evidence: string) {
    leaving = true;
    call("record_opt_out", { evidence: evidence.slice(0, 1_000) }, ({ ok }) => {
      // The session says how it went. What couldn't be stored may be asked for again.
      optedOut ||= ok;
      leaving = optedOut;
    });
  }

  function transfer() {
    if (!granted.has("transfer_to_human")) return reply(lines.nobodyToTransferTo);
    call("transfer_to_human", {}, () => {
      silentFrames = 0;
    });
  }

  function arrange(named: NamedTime) {
    if (!granted.has("book_appointment")) return reply(lines.noBooking);
    const { day, time } = { ...expected, ...named };
    expected = { ...(day ? { day } : {}), ...(time ? { time } : {}) };
    if (!day) return reply(lines.askDay);
    if (!time) return reply(lines.askTime);
    expected = null;
    call("book_appointment", { day, time }, (result) => {
      if (result.ok) return reply(booked(day, time));
      expected = {};
      const { alternatives = [] } = result;
      reply(alternatives.length > 0 ? offered(alternatives) : lines.notBooked);
    });
  }

  function callBack({ delayMinutes, named }: Extract<Intent, { type: "callback" }>) {
    const { day, time } = { ...expectedCallback, ...named };
    if (delayMinutes === null && !time) {
      expectedCallback = { ...(day ? { day } : {}) };
      return reply(lines.askCallbackTime);
    }
    expectedCallback = null;
    const callback_at = delayMinutes === null ? [day, time].filter(Boolean).join(" ") : `PT${delayMinutes}M`;
    call("schedule_callback", { callback_at }, ({ ok }) => {
      if (ok) return void leave(lines.callbackNoted);
      expectedCallback = {};
      reply(lines.callbackRefused);
    });
  }

  function answer(text: string) {
    const expects = expectedCallback !== null ? "callback" : expected !== null ? "appointment" : null;
    const intent = readIntent(text, expects);
    unread = 0;
    if (intent.type === "opt_out") return optOut(text);
    if (leaving) return;
    if (intent.type === "human") return transfer();
    if (intent.type === "callback" && granted.has("schedule_callback")) return callBack(intent);
    if (intent.type === "appointment") return arrange(intent.named);
    if (!greeted) return greet();
    if (intent.type === "goodbye") return void leave(lines.goodbye);
    if (granted.has("book_appointment")) expected ??= {};
    reply(acknowledge(replies, granted));
  }

  function answerUnread() {
    unansweredFrames = null;
    if (leaving) return;
    if (!greeted) return greet();
    if (isCough) return saidAgain < MOST_AGAIN ? reply(lastSaid) : undefined;
    if (++unread >= MOST_UNREAD) return void leave(lines.cantUnderstandLast);
    reply(cantUnderstand(unread, granted));
  }

  function key(digit: string) {
    if (digit === "9") optOut("keyed 9");
    else if (leaving) return;
    else if (digit === "0") transfer();
    else reply(cantUnderstand(2, granted));
  }

  function nudge() {
    silentFrames = 0;
    if (!greeted) return greet();
    const text = lines.nudges[nudges++];
    if (text === undefined) void leave(lines.silence);
    else speak(text);
  }

  /** Nothing that is told may throw into the session. */
  const guarded =
    <Args extends unknown[]>(action: (...args: Args) => void) =>
    (...args: Args): void => {
      if (closed) return;
      try {
        action(...args);
      } catch (error) {
        fail(error);
      }
    };

  return {
    begin: guarded(() => {
      if (begun) return;
      begun = true;
      const { said, digits, spoke } = before;
      const urgent = said.find((text) => ["opt_out", "human"].includes(readIntent(text).type));
      if (urgent !== undefined) return answer(urgent);
      if (digits.length > 0) return key(digits.at(-1) as string);
      if (firstSpeaker === "agent" || spoke) greet();
    }),
    hear: guarded(() => {
      if (!begun) return;
      if (unansweredFrames !== null && ++unansweredFrames >= WORDS_WITHIN_FRAMES) answerUnread();
      const waits = !personSpeaks && !mouth.busy && !leaving && pending.size === 0;
      silentFrames = waits ? silentFrames + 1 : 0;
      if (silentFrames >= (greeted ? NUDGE_AFTER_FRAMES : FIRST_NUDGE_AFTER_FRAMES)) nudge();
    }),
    speechStarted: guarded(() => {
      personSpeaks = true;
      wordsSinceSpeech = false;
      unansweredFrames = null;
      nudges = 0;
    }),
    speechEnded: guarded((durationMs: number) => {
      personSpeaks = false;
      isCough = durationMs < SHORTEST_SPEECH_MS;
      const isWorthIt = !isCough || wasCutOff;
      wasCutOff = false;
      if (!begun) before.spoke ||= isWorthIt;
      else if (!wordsSinceSpeech && isWorthIt) unansweredFrames = 0;
    }),
    said: guarded((text: string) => {
      wordsSinceSpeech = true;
      unansweredFrames = null;
      nudges = 0;
      if (begun) return answer(text);
      before.said.push(text);
      before.spoke = true;
    }),
    keyed: guarded((digit: string) => {
      wasCutOff = false;
      nudges = 0;
      if (begun) key(digit);
      else before.digits.push(digit);
    }),
    interrupted: guarded(() => {
      wasCutOff = true;
      mouth.interrupted();
    }),
    played: guarded((utteranceId: string) => mouth.played(utteranceId)),
    toolResult: guarded((toolCallId: string, result: ToolResult) => {
      const onResult = pending.get(toolCallId);
      pending.delete(toolCallId);
      onResult?.(result);
    }),
    say: guarded((text: string, utteranceId: string) => {
      silentFrames = 0;
      void mouth.say(text, utteranceId);
    }),
    close() {
      closed = true;
      mouth.close();
      pending.clear();
    },
  };
}
