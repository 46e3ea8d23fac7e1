import { readOptOut } from "../../../opt-out-rules/index.ts";
import { type NamedTime, readDelay, readNamedTime } from "./spoken-times.ts";

/** What somebody wants, as far as a few plain rules can tell. */
export type Intent =
  | { type: "opt_out" }
  | { type: "human" }
  /** They agree to an appointment, or name a part of its time. */
  | { type: "appointment"; named: NamedTime }
  /** They want to be called again: in so many minutes, or at a time that is named in part, whole, or not at all. */
  | { type: "callback"; delayMinutes: number | null; named: NamedTime }
  | { type: "goodbye" }
  | { type: "other" };

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
const CALL_AGAIN =
  /\b(?:call|phone|ring|try|reach)(?:ing)? (?:(?:me|us)(?: back| again)?|back)\b(?! (?:at|on) (?:my|our|the|this))/;
const NO_CALL =
  /\b(?:don't|do not|never|not|didn't|did not|did you|why do you) (?:please )?(?:call|phone|ring|try|reach)/;
const STAYS = /\b(?:don't|do not) hang up\b/;

/**
 * Reads a wish out of words. Pure: what it returns is all that the words can bring about. A wish not to be called comes
 * before everything else.
 * @param expects what a day or a time was just asked for: then naming one is enough
 */
export function readIntent(text: string, expects: "appointment" | "callback" | null = null): Intent {
  const said = text.toLowerCase().replaceAll("’", "'").replace(/\s+/g, " ").trim();
  if (readOptOut(text, { channel: "call", speaker: "user" }).opt_out) return { type: "opt_out" };
  if (HUMAN.some((rule) => rule.test(said))) return { type: "human" };
  const named = readNamedTime(said);
  const isNamed = named.day !== undefined || named.time !== undefined;
  const delayMinutes = readDelay(said) ?? null;
  if (CALL_AGAIN.test(said) && !NO_CALL.test(said)) return { type: "callback", delayMinutes, named };
  if (expects === "callback" && (isNamed || delayMinutes !== null) && !REFUSES.test(said))
    return { type: "callback", delayMinutes, named };
  if (isNamed && !REFUSES.test(said) && (expects === "appointment" || AGREES.test(said)))
    return { type: "appointment", named };
  if (GOODBYE.test(said) && !STAYS.test(said)) return { type: "goodbye" };
  return { type: "other" };
}
