/** Enough for what is asked for several times in a row, as the parts of a message are. */
const A_FEW = 8;

/**
 * Keeps what was made of the last `most` texts, so that the same text again costs a look-up. For what depends on its text
 * alone; who gets it must not change it.
 */
export function remembered<Made>(make: (text: string) => Made, most = A_FEW): (text: string) => Made {
  const known = new Map<string, Made>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    if (known.size >= most) known.delete(known.keys().next().value!);
    known.set(text, made);
    return made;
  };
}
