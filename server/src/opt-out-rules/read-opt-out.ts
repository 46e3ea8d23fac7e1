import { plainSentences } from "./plain-words.ts";
import {
  ASKED_WHETHER,
  ASKS_YOU,
  BESIDE_STOP,
  CALL_ELSEWHERE,
  DENIED,
  FOR_EVER,
  FOR_NOW,
  HALT,
  KEYWORDS,
  OWN_PLAN,
  PHRASES,
  type Phrase,
  POLITENESS,
  SAID_BY_OTHERS,
  SAID_TO_OTHERS,
  STOP_BESIDE_A_SENTENCE,
} from "./rules.ts";

export type Channel = "call" | "text";
/** `user`: the person called or texting. A machine's words and the agent's own ask for nothing. */
export type Speaker = "user" | "agent" | "machine";

export interface OptOutReading {
  opt_out: boolean;
  /** The words it was told by: lower case, without accents and apostrophes. Null when there is no opt-out. */
  matched: string | null;
}

const NONE: OptOutReading = { opt_out: false, matched: null };

/**
 * Whether somebody asks, in whatever words, not to be called or texted again. Pure, and linear in the text's length. In doubt
 * between a nuisance and a wish not to be called it reads the wish; what is bound to a time, a place or another number is none.
 */
export function readOptOut(text: string, from: { channel: Channel; speaker: Speaker }): OptOutReading {
  if (from.speaker !== "user") return NONE;
  const sentences = plainSentences(text);
  const isElsewhere = sentences.some((sentence) => CALL_ELSEWHERE.test(sentence));
  for (const sentence of sentences) {
    const matched =
      keywordIn(sentence, from.channel) ?? (isElsewhere ? firmPhraseIn(sentence) : phraseIn(sentence));
    if (matched !== null) return { opt_out: true, matched };
  }
  return NONE;
}

function keywordIn(sentence: string, channel: Channel): string | null {
  const whole = keywordAlone(sentence, channel);
  if (whole !== null) return whole;
  if (sentence.includes(" , ") && !HALT.test(sentence)) {
    const clauses = sentence.split(" , ");
    for (const clause of [clauses[0]!, clauses.at(-1)!]) {
      const matched = keywordAlone(clause, channel);
      if (matched !== null) return matched;
    }
  }
  const beside = STOP_BESIDE_A_SENTENCE.exec(sentence);
  if (beside && !SAID_BY_OTHERS.test(sentence) && !HALT.test(sentence)) return beside[0].trim();
  return null;
}

/** A keyword with nothing beside it but politeness. */
function keywordAlone(clause: string, channel: Channel): string | null {
  if (clause.length > 80) return null;
  const words = clause
    .replace(/\bstop+(?= |$)/g, "stop")
    .replace(/\bopt out\b/g, "optout")
    .replace(/\bstop all\b/g, "stopall")
    .split(" ");
  const keywords = words.filter((word) => KEYWORDS[channel].has(word));
  if (keywords.length === 0) return null;
  const others = words.filter((word) => !KEYWORDS[channel].has(word) && !POLITENESS.has(word));
  const isStop = keywords.every((word) => word === "stop");
  if (others.some((word) => !isStop || !BESIDE_STOP.has(word))) return null;
  return isStop && SAID_BY_OTHERS.test(clause) ? null : keywords[0]!;
}

function phraseIn(sentence: string): string | null {
  for (const phrase of PHRASES) {
    const match = phrase.pattern.exec(sentence);
    if (match && isMeant(phrase, sentence, match)) return match[0];
  }
  return null;
}

/** They want to be called somewhere: then only what says "for ever" or takes the number off the list is meant. */
function firmPhraseIn(sentence: string): string | null {
  const matched = phraseIn(sentence);
  return matched !== null && (FOR_EVER.test(sentence) || /\b(?:list|remove|unsubscribe|opt)\b/.test(matched))
    ? matched
    : null;
}

function isMeant(phrase: Phrase, sentence: string, match: RegExpExecArray): boolean {
  const before = sentence.slice(0, match.index).trimEnd();
  const after = sentence.slice(match.index + match[0].length);
  if (ASKED_WHETHER.test(before)) return false;
  if (DENIED.test(before) && !ASKS_YOU.test(`${before} `)) return false;
  if (phrase.kind === "act" && (SAID_TO_OTHERS.test(before) || OWN_PLAN.test(before))) return false;
  return !(phrase.canBeForNow && FOR_NOW.test(after) && !FOR_EVER.test(match[0] + after));
}
