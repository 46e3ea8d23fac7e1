/** What the calls tell of themselves to whoever counts. */
export interface CallMetrics {
  /** @param carrier `browser` for browser calls */
  ended(call: { status: string; carrier: string }): void;
  /** From the request to the answer of the far side. */
  answered(call: { carrier: string; seconds: number }): void;
  /** Another process was asked to do something about a call. */
  asked(request: { kind: "start" | "connect" | "hangup"; outcome: "done" | "refused" | "unreached" }): void;
}
