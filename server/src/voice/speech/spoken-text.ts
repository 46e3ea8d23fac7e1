/** Some 15 s of speech: one part takes the worker some 200 ms, and other calls' sentences wait at most for one. */
const LONGEST_PART = 240;

/**
 * Cuts a text into what the voices are given one after another: sentences, or pieces of long ones. The voices know ASCII
 * only, so letters lose their accents and typographic signs become plain ones.
 *
 * @returns parts of 1 to 240 characters, each with a letter or a digit; none when the text has nothing to speak
 */
export function spokenParts(text: string): string[] {
  return sentences(plain(text))
    .flatMap(pieces)
    .filter((part) => /[A-Za-z0-9]/.test(part));
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .replace(/[\u2018\u2019\u201b\u02bc]/g, "'")
    .replace(/[\u201c-\u201f\u00ab\u00bb]/g, '"')
    .replace(/\s*[\u2013-\u2015]\s*/g, ", ")
    .replace(/\u00df/g, "ss")
    .replace(/[\u00e6\u00c6]/g, "ae")
    .replace(/[\u00f8\u00d8]/g, "o")
    .replace(/[^\x20-\x7e]+/g, " ")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** At sentence ends that a space follows, so that "3.5" and "a.m." within a sentence stay whole. */
function sentences(text: string): string[] {
  return text.split(/(?<=[.!?]["')]*) (?=["'(]*[A-Z0-9])/);
}

/** A long sentence is cut at the last comma that fits, else at the last space, else where it is full. */
function pieces(sentence: string): string[] {
  const found: string[] = [];
  let rest = sentence;
  while (rest.length > LONGEST_PART) {
    const head = rest.slice(0, LONGEST_PART);
    const comma = Math.max(head.lastIndexOf(", "), head.lastIndexOf("; "), head.lastIndexOf(": ")) + 1;
    const at = comma > LONGEST_PART / 3 ? comma : head.lastIndexOf(" ") + 1 || LONGEST_PART;
    found.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trimStart();
  }
  return [...found, rest];
}
