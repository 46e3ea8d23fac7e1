/** Cuts text that comes in pieces into sentences, each as soon as it is known to be whole. */
export interface SentenceSplitter {
  push(text: string): string[];
  /** What is left. */
  flush(): string[];
}

const END = /[.!?…]+["'”’)\]]*(?=\s)|\n+/g;
/** What a full stop doesn't end. */
const ABBREVIATION =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|no|vs|etc|e\.g|i\.e|a\.m|p\.m|inc|ltd|jr|sr|approx|[a-z]|\d{1,2})\.$/i;
/** A sentence that never ends is spoken in parts. */
const LONGEST = 400;

export function createSentenceSplitter(): SentenceSplitter {
  let rest = "";
  const take = (end: number) => {
    const sentence = rest.slice(0, end).trim();
    rest = rest.slice(end);
    return sentence;
  };
  return {
    push(text) {
      rest += text;
      const sentences: string[] = [];
      for (let isFound = true; isFound; ) {
        isFound = false;
        for (const match of rest.matchAll(END)) {
          const end = match.index + match[0].length;
          if (ABBREVIATION.test(rest.slice(0, end))) continue;
          sentences.push(take(end));
          isFound = true;
          break;
        }
        if (!isFound && rest.length > LONGEST) {
          const space = rest.lastIndexOf(" ", LONGEST);
          sentences.push(take(space > 0 ? space : LONGEST));
          isFound = true;
        }
      }
      return sentences.filter(Boolean);
    },
    flush() {
      const last = rest.trim();
      rest = "";
      return last === "" ? [] : [last];
    },
  };
}
