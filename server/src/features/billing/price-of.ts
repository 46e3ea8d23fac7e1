/**
 * What a call costs, in whole tokens: its started seconds at the price of a minute, rounded up.
 * @param seconds from answer to end, fractions allowed; a call that was never answered has none
 * @param ratePerMinute whole tokens
 */
export function priceOf({ seconds, ratePerMinute }: { seconds: number; ratePerMinute: number }): number {
  if (!(seconds > 0)) return 0;
  return Math.ceil((Math.ceil(seconds) * ratePerMinute) / 60);
}
