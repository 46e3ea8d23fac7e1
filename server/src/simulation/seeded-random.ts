/** Chances that repeat themselves: the same seed gives the same ones, on every machine. */
export interface Chance {
  /** At least 0, below 1. */
  next(): number;
  /** True in this share of cases. */
  happens(share: number): boolean;
  /** A whole number of these, both included. */
  between(least: number, most: number): number;
  one<T>(of: readonly T[]): T;
  /** Around `median`, never negative, with a long tail: half of all within a factor of `e^(0.67 spread)`. */
  logNormal(median: number, spread: number): number;
}

/**
 * By the generator "splitmix32". Its state is small, so that every call of every person can have one of its own, and what
 * happens to one doesn't depend on the order in which others are looked at.
 */
export function chanceFrom(...seeds: readonly (number | string)[]): Chance {
  let state = 0x9e3779b9;
  for (const seed of seeds) state = mix(state ^ (typeof seed === "number" ? seed | 0 : hash(seed)));
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
  return {
    next,
    happens: (share) => next() < share,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    one: (of) => of[Math.floor(next() * of.length)]!,
    logNormal(median, spread) {
      // Box and Muller; 1 − next() is never 0, whose logarithm there isn't.
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return median * Math.exp(spread * normal);
    },
  };
}

function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return mixed ^ (mixed >>> 15);
}

function hash(text: string): number {
  let hashed = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hashed = Math.imul(hashed ^ text.charCodeAt(index), 0x01000193);
  return hashed;
}
