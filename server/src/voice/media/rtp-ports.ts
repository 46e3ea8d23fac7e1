/** The UDP ports that this process may use for media. Shared by all legs. */
export interface RtpPorts {
  /**
   * Takes an even port that no leg has, and that the system has free.
   * @param bind resolves to null when the system says that the port is in use
   * @throws NoRtpPortFree
   */
  take<T>(bind: (port: number) => Promise<T | null>): Promise<{ port: number; bound: T }>;
  /** Gives it back. Call it when the socket is closed. */
  release(port: number): void;
  inUse(): number;
}

/** Every port of the range is in use: the message says which range. */
export class NoRtpPortFree extends Error {
  override readonly name = "NoRtpPortFree";
}

/**
 * Even ports only: the odd one above belongs to a stream's reports (RFC 3550, 11).
 * @param range both ends included
 * @throws RangeError when no even port lies in it
 */
export function createRtpPorts({ from, to }: { from: number; to: number }): RtpPorts {
  const first = from + (from % 2);
  const count = Math.floor((to - first) / 2) + 1;
  if (!(first >= 2 && to <= 65_535 && count >= 1))
    throw new RangeError(`No media port lies in ${from}-${to}.`);
  const taken = new Set<number>();
  let next = 0;
  return {
    async take(bind) {
      for (let tried = 0; tried < count; tried++) {
        // Round and round, so that packets of a call that ended don't reach the next one.
        const port = first + 2 * next;
        next = (next + 1) % count;
        if (taken.has(port)) continue;
        taken.add(port);
        try {
          const bound = await bind(port);
          if (bound !== null) return { port, bound };
          taken.delete(port);
        } catch (error) {
          taken.delete(port);
          throw error;
        }
      }
      throw new NoRtpPortFree(`Every media port from ${from} to ${to} is in use: widen RTP_PORTS.`);
    },
    release(port) {
      taken.delete(port);
    },
    inUse: () => taken.size,
  };
}
