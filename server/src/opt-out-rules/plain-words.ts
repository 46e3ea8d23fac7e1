/** How much of a text one rule sees at once; what is longer is read in overlapping pieces, so that time stays linear. */
const PIECE = 400;
const OVERLAP = 100;

/**
 * The sentences of a text in plain words: lower case, without accents, apostrophes ("dont"), emoji, invisible characters and
 * sounds of hesitation, one space between words; a comma stays, as ` , `. Full-width and other fancy letters are plain ones.
 */
export function plainSentences(text: string): string[] {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}|\p{Cf}|['’‘ʼ`´]/gu, "")
    .split(/[^\p{L}\p{N}\s,:"“”«»&/()_-]+|[\r\n]+/u)
    .flatMap((sentence) => pieces(plain(sentence)))
    .filter((sentence) => sentence !== "");
}

function plain(sentence: string): string {
  const words = sentence
    .replace(/[:,]/g, " , ")
    .replace(/[^\p{L}\p{N},]+/gu, " ")
    .replace(/(?<![^ ])(?:, )?(?:u{1,9}h{1,9}|u{1,9}m{1,9}|e{1,9}r{1,9}m{0,9}|h{1,9}m{1,9}) (?:, )?/g, "")
    .replace(/(?:, ){2,}/g, ", ")
    .trim()
    .split(" ");
  // "s t o p" is "stop".
  if (words.length > 2 && words.every((word) => word.length === 1)) return words.join("");
  return words.join(" ").replace(/^(?:, )+|(?: ,)+$/g, "");
}

function pieces(sentence: string): string[] {
  if (sentence.length <= PIECE) return [sentence];
  const found: string[] = [];
  for (let at = 0; at < sentence.length; at += PIECE - OVERLAP) found.push(sentence.slice(at, at + PIECE));
  return found;
}
