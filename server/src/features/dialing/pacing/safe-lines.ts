/**
 * The most lines to have pending for so many seats: of the people who are expected to answer, no more than `risk` find every
 * seat taken. Each line is answered by a person or isn't, on its own. The more seats, the more of the luck evens out, so the
 * lines per seat grow with the seats, towards `linesPerAnswer`.
 * @param seats expected to be free when the lines are answered; fractions count
 * @param linesPerAnswer how many lines bring one person, ≥ 1; 1: every line may bring one, and no more lines than seats are safe
 * @param risk share, above 0 and below 1
 * @returns whole lines
 */
export function safeLines(seats: number, linesPerAnswer: number, risk: number): number {
  const certain = Math.floor(seats + 1e-9);
  if (certain < 0 || seats <= 0) return 0;
  if (linesPerAnswer <= 1) return certain;
  const answers = 1 / linesPerAnswer;
  const isSafe = (lines: number) =>
    expectedAbove(lines, answers, seats) <= risk * lines * answers + Number.EPSILON * lines;
  // With so many lines, those above the seats alone are more than the risk allows.
  let tooMany = Math.max(certain, Math.ceil((seats * linesPerAnswer) / Math.max(1e-9, 1 - risk))) + 1;
  let safe = certain;
  while (tooMany - safe > 1) {
    const middle = Math.floor((safe + tooMany) / 2);
    if (isSafe(middle)) safe = middle;
    else tooMany = middle;
  }
  return safe;
}

/** By how many the answers of `lines` lines exceed the seats, on average: E[max(0, X − seats)], X binomial. */
function expectedAbove(lines: number, answers: number, seats: number): number {
  // From below, where few terms are, and by logarithms, because (1 − p)^n leaves the numbers' range.
  const odds = Math.log(answers / (1 - answers));
  let logChance = lines * Math.log1p(-answers);
  let spare = 0;
  for (let count = 0; count < seats && count <= lines; count++) {
    spare += (seats - count) * Math.exp(logChance);
    logChance += Math.log((lines - count) / (count + 1)) + odds;
  }
  return Math.max(0, lines * answers - seats + spare);
}
