const FEWEST_DIGITS = 10;
const MOST_DIGITS = 15;
/** The longest prefix that is dropped, `011`, stands before at most 15 digits. */
const MOST_DIGITS_WITH_PREFIX = MOST_DIGITS + 3;

/** What most numbers look like when they come from a program: already canonical. */
const CANONICAL = /^\+[1-9][0-9]{9,14}$/;

/** The marks below U+0080 that are dropped; white space among them too. */
const ASCII_MARKS = new Set(Array.from("\t\n\v\f\r +()[]-./\\,:_~*", (mark) => mark.charCodeAt(0)));

/**
 * The marks above U+007F that are dropped: white space (U+0085 is white space to Unicode but not to `\s`, U+FEFF the
 * other way round), every dash, and the middle dots with the signs that are drawn the same.
 */
const OTHER_MARK =
  /^[\p{White_Space}\u{FEFF}\p{Dash}\p{Pd}\u{B7}\u{387}\u{2027}\u{2219}\u{22C5}\u{2E31}\u{30FB}\u{FF65}]$/u;

const DECIMAL_DIGIT = /^\p{Nd}$/u;

/**
 * The canonical E.164 form of a phone number written in any way (`(415) 555-0100` → `+14155550100`), or null when it
 * isn't a phone number: a value of another type, an extension, letters, fewer than 10 or more than 15 digits.
 */
export function canonicalPhoneNumber(value: unknown): string | null {
  if (typeof value !== "string") return null;
  if (CANONICAL.test(value)) return value;
  let digits = "";
  let hasPlus = false;
  let plusFirst = false;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) {
      digits += value[at];
    } else if (code === 0x2b) {
      hasPlus = true;
      plusFirst ||= digits === "";
    } else if (code > 0x7f) {
      const codePoint = value.codePointAt(at) as number;
      const character = String.fromCodePoint(codePoint);
      if (DECIMAL_DIGIT.test(character)) digits += digitValue(codePoint);
      else if (!OTHER_MARK.test(character)) return null;
      at += character.length - 1;
    } else if (!ASCII_MARKS.has(code)) {
      return null;
    }
    if (digits.length > MOST_DIGITS_WITH_PREFIX) return null;
  }
  if (!plusFirst) digits = withoutInternationalPrefix(digits);
  if (digits.length < FEWEST_DIGITS || digits.length > MOST_DIGITS || digits.startsWith("0")) return null;
  return digits.length === FEWEST_DIGITS && !hasPlus ? `+1${digits}` : `+${digits}`;
}

function withoutInternationalPrefix(digits: string): string {
  if (digits.startsWith("00")) return digits.slice(2);
  return digits.startsWith("011") ? digits.slice(3) : digits;
}

/**
 * Unicode keeps the ten digits of a script together, from zero up; some such tens stand right behind one another
 * (the mathematical digits), so a digit's value is its distance from the start of the run, modulo ten.
 */
function digitValue(codePoint: number): number {
  let start = codePoint;
  while (DECIMAL_DIGIT.test(String.fromCodePoint(start - 1))) start--;
  return (codePoint - start) % 10;
}
