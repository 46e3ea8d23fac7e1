/** The bucket of call starts as it is stored between two looks: full, it holds one second's worth, and at least one. */
export interface StartBucket {
  /** Starts that may be made as of `at`; fractions add up. */
  tokens: number;
  /** Milliseconds since the epoch, on the service's clock. */
  at: number;
}

/**
 * Call starts by a rate: fills the bucket up to `now` and takes as many starts as are wanted and there. In any stretch of t
 * seconds no more than perSecond × t + max(1, perSecond) starts come out of it. A clock that was set back earns nothing.
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

/** A bucket that has been filling for long. @param perSecond as of `takeStarts` */
export function fullBucket(perSecond: number | null, now: number): StartBucket {
  return { tokens: Math.max(1, perSecond ?? 1), at: now };
}

function tokensAt({ tokens, at }: StartBucket, perSecond: number, now: number): number {
  const earned = (Math.max(0, now - at) / 1_000) * perSecond;
  return Math.min(Math.max(1, perSecond), Math.max(0, tokens) + earned);
}
