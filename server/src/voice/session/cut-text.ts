/** So fast do people speak about: an estimate where the length of an utterance isn't known. */
const CHARACTERS_PER_SECOND = 15;

/**
 * The part of a text that was heard when its speech was cut off, in proportion and at the end of a word.
 * @param totalMs length of the whole utterance; null when it isn't known
 */
export function cutText(text: string, playedMs: number, totalMs: number | null): string {
  const total = totalMs ?? Math.max(playedMs, (text.length / CHARACTERS_PER_SECOND) * 1_000);
  if (total <= 0 || playedMs >= total) return text;
  if (playedMs <= 0) return "";
  const end = Math.floor((text.length * playedMs) / total);
  if (/\s/.test(text.charAt(end))) return text.slice(0, end).trimEnd();
  // The word that was being said when it was cut off is not counted as heard.
  const lastSpace = text.slice(0, end).search(/\s\S*$/);
  return lastSpace < 0 ? "" : text.slice(0, lastSpace).trimEnd();
}
