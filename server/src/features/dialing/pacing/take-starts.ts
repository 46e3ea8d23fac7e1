/** The bucket of call starts as it is stored between two looks. */
export interface StartBucket {
  /** Starts that may be made as of `at`; fractions add up. */
  tokens: number;
  /** Milliseconds since the epoch, on the service's clock. */
  at: number;
}

/** A full bucket has so many seconds' worth, and at least one start: who looks late loses no more, and nobody starts a second's calls at once. */
const BURST_SECONDS = 0.1;

/**
 * Call starts by a rate: fills the bucket up to `now` and takes as many starts as are wanted and there. In any stretch of t
 * seconds no more than perSecond × t + max(1, perSecond / 10) starts come out of it. A clock that was set back earns nothing.
 * @param perSecond call starts a second; null: no limit, and the bucket stays as it is
 * @param wanted whole starts
 * @returns how many may be made now, and the bucket to be stored
 */
export function takeStarts(
  bucket: StartBucket,
  perSecond: number | null,
  wanted: number,
  now: number,
): { starts: number; bucket: StartBucket } {
  const asked = Math.max(0, Math.floor(wanted));
  if (perSecond === null) return { starts: asked, bucket: { tokens: bucket.tokens, at: now } };
  const tokens = tokensAt(bucket, perSecond, now);
  // Thirds of a start, three times, are one.
  const starts = Math.min(asked, Math.floor(tokens + 1e-9));
  return { starts, bucket: { tokens: Math.max(0, tokens - starts), at: now } };
}

function tokensAt({ tokens, at }: StartBucket, perSecond: number, now: number): number {
  const earned = (Math.max(0, now - at) / 1_000) * perSecond;
  return Math.min(Math.max(1, perSecond * BURST_SECONDS), Math.max(0, tokens) + earned);
}
