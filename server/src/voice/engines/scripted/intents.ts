import { type NamedTime, readNamedTime } from "./spoken-times.ts";

/** What somebody wants, as far as a few plain rules can tell. */
export type Intent =
  | { type: "opt_out" }
  | { type: "human" }
  /** They agree to an appointment, or name a part of its time. */
  | { type: "appointment"; named: NamedTime }
  | { type: "goodbye" }
  | { type: "other" };

const CALLING =
  "(?:call|calling|phone|phoning|ring|ringing|contact|contacting|dial|text|texting|bother|bothering|disturb)";
const US = "(?:\\s+(?:me|us|here|this number|my number|my phone|my house))?";
/** A wish that is bound to a time or place isn't one for ever ("don't call me before nine"), unless they say it is. */
const ONLY_THEN =
  "(?:before|after|until|till|today|tomorrow|tonight|(?:right )?now|at(?! all)|during|(?:this|so) (?:late|early)|in the|on (?:weekdays|weekends|(?:sun|mon|tues|wednes|thurs|fri|satur)days?))";
const FOR_EVER = "\\b(?:again|anymore|any more|ever|at all)\\b";
const NOT_ONLY_THEN = `\\b(?!${US}\\s+${ONLY_THEN}\\b(?!.*${FOR_EVER}))`;

const OPT_OUT = [
  `\\bnever\\s+(?:ever\\s+|to\\s+)?${CALLING}${NOT_ONLY_THEN}`,
  `\\b(?:do not|don't|dont|must not|mustn't)\\s+(?:you\\s+)?(?:ever\\s+)?${CALLING}${NOT_ONLY_THEN}`,
  `\\bstop\\s+(?:\\w+\\s+)?(?:calling|phoning|ringing|contacting|texting|bothering|harassing)\\b`,
  `\\bno more\\s+(?:phone\\s+)?calls\\b`,
  `\\bquit\\s+(?:calling|bothering)\\b`,
  `\\b(?:take|remove|delete|get|scratch)\\s+(?:me|us|my (?:phone )?number|this number|my name)\\b.{0,30}\\b(?:off|from|out of)\\b`,
  `\\b(?:remove|delete)\\s+(?:me|my (?:phone )?number|this number)\\b`,
  `\\b(?:do not|don't)[\\s-]call\\s+(?:list|registry)\\b`,
  `\\bunsubscribe\\b|\\bopt(?:ing)?(?:\\s+me)?[\\s-]out\\b`,
  `\\b(?:don't|do not)\\s+want\\s+(?:\\w+\\s+){0,3}(?:calls|to be called|you to call)\\b`,
  `\\bleave\\s+(?:me|us)\\s+alone\\b`,
  `\\blose\\s+(?:my|this)\\s+number\\b`,
  // Spanish
  `\\bno\\s+(?:me|nos)\\s+(?:vuelvan?\\s+a\\s+llamar|llam\\w+|molest\\w+|contact\\w+)`,
  `\\b(?:deje|dejen|deja)\\s+de\\s+(?:llamar\\w*|molestar\\w*)`,
  `\\bno\\s+(?:quiero|deseo)\\s+(?:que\\s+(?:me|nos)\\s+llam\\w+|m[aá]s\\s+llamadas|recibir\\s+(?:m[aá]s\\s+)?llamadas)`,
  `\\bno\\s+llam\\w+\\s+m[aá]s\\b`,
  `\\b(?:b[oó]rre|quite|elimin|saqu)\\w*\\s.{0,20}\\blista\\b`,
].map((rule) => new RegExp(rule));

/** Speaking of opting out without wanting it. */
const NOT_OPT_OUT =
  /\b(?:did(?:n't| not)|never)\s+(?:ask|tell|say|said|asked|told)(?:\s+you)?(?:\s+to)?\s+(?:stop|quit|take|remove|never|not)\b/;

const PERSON =
  "(?:human|person|someone|somebody|representative|rep|operator|agent|supervisor|manager|colleague|real person|live person)";
const HUMAN = [
  `\\b(?:talk|speak|connect|transfer|put|get|give)\\w*\\b.{0,30}\\b${PERSON}\\b`,
  `^\\W*(?:a\\s+)?(?:real\\s+|live\\s+)?(?:human|representative|operator|agent)(?:\\s+(?:being|please))?\\W*(?:please)?\\W*$`,
  `\\b(?:want|need|prefer|like)\\b.{0,12}\\b(?:a|real|live)\\s+(?:real\\s+|live\\s+)?(?:human|person)\\b`,
  `\\b(?:hablar|comun[ií]\\w+|p[aá]s\\w+)\\b.{0,20}\\b(?:persona|humano|alguien|agente|operador\\w*)\\b`,
].map((rule) => new RegExp(rule));

const REFUSES = /\b(?:not|no|can't|cannot|won't|doesn't|don't|isn't|busy|unfortunately|impossible)\b/;
const AGREES =
  /\b(?:yes|yeah|yep|sure|ok|okay|fine|good|great|perfect|works?|suits?|let's|book|gladly|sounds|see you|schedule|i can|i'll be|would be|alright|all right)\b/;
const GOODBYE =
  /\b(?:good\s?bye|bye|have a (?:good|nice|great|lovely)|talk to you later|hang(?:ing)? up|wrong number|not interested|no interest|adi[oó]s|hasta luego)\b/;
const STAYS = /\b(?:don't|do not) hang up\b/;

/**
 * Reads a wish out of words. Pure: what it returns is all that the words can bring about. A wish not to be called comes
 * before everything else.
 * @param expectsTime whether a day or a time was just asked for: then naming one is enough
 */
export function readIntent(text: string, expectsTime = false): Intent {
  const said = text.toLowerCase().replaceAll("’", "'").replace(/\s+/g, " ").trim();
  if (OPT_OUT.some((rule) => rule.test(said)) && !NOT_OPT_OUT.test(said)) return { type: "opt_out" };
  if (HUMAN.some((rule) => rule.test(said))) return { type: "human" };
  const named = readNamedTime(said);
  const isNamed = named.day !== undefined || named.time !== undefined;
  if (isNamed && !REFUSES.test(said) && (expectsTime || AGREES.test(said)))
    return { type: "appointment", named };
  if (GOODBYE.test(said) && !STAYS.test(said)) return { type: "goodbye" };
  return { type: "other" };
}
