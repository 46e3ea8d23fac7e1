/**
 * Keeps what was made of the last text: the parts of a message are asked for several times in a row, and reading them again
 * is a third of what an answer takes. What is made must not be changed by who gets it.
 */
export function rememberLast<Made>(make: (text: string) => Made): (text: string) => Made {
  let last: { text: string; made: Made } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) };
    return last.made;
  };
}
