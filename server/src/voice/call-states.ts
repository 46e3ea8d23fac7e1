/**
 * The states of a call and what moves it between them, as data. Nothing else moves a call.
 *
 *   initiating ──ringing──▶ initiated ──answered──▶ in-progress ──▶ completed | voicemail | failed
 *   initiating | initiated ──▶ failed | busy | no-answer | canceled
 *
 * `initiating`: accepted, the carrier has been asked (phone) or the browser is awaited. `initiated`: it rings (phone),
 * or the offer was answered (browser). `in-progress`: answered, or media flows. Terminal: the rest.
 */
export const CALL_STATUSES = [
  "initiating",
  "initiated",
  "in-progress",
  "completed",
  "failed",
  "busy",
  "no-answer",
  "canceled",
  "voicemail",
] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/** To where each status leads. A call that is answered at once passes through `initiated` all the same. */
export const callTransitions = {
  initiating: ["initiated", "failed", "busy", "no-answer", "canceled"],
  initiated: ["in-progress", "failed", "busy", "no-answer", "canceled"],
  "in-progress": ["completed", "voicemail", "failed"],
  completed: [],
  failed: [],
  busy: [],
  "no-answer": [],
  canceled: [],
  voicemail: [],
} as const satisfies Record<CallStatus, readonly CallStatus[]>;

export type TerminalStatus = {
  [Status in CallStatus]: (typeof callTransitions)[Status] extends readonly [] ? Status : never;
}[CallStatus];

export function isTerminal(status: CallStatus): status is TerminalStatus {
  return callTransitions[status].length === 0;
}

export function canMove(from: CallStatus, to: CallStatus): boolean {
  return (callTransitions[from] as readonly CallStatus[]).includes(to);
}
