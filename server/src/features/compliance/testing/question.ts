import type { CallQuestion } from "../call-question.ts";

interface Changes {
  at?: number;
  number?: string;
  lead?: Partial<CallQuestion["lead"]>;
  campaign?: Partial<CallQuestion["campaign"]>;
  state?: Partial<CallQuestion["state"]>;
}

/** A question that nothing stands against but the hour. */
export function question(changes: Changes = {}): CallQuestion {
  return {
    at: changes.at ?? Date.UTC(2026, 2, 4, 18),
    number: changes.number ?? "+12125550100",
    lead: { timezone: null, state: null, consented: true, ...changes.lead },
    campaign: {
      ...{ automated: true, start: null, end: null, days: null },
      ...{ requireConsent: false, attempts: 0, maxAttempts: 4, ...changes.campaign },
    },
    state: {
      ...{ onDnc: false, optedOut: false, voiceSuspended: false, hasCallerId: true, canAfford: true },
      ...{ inFlight: false, inFlightUntil: null, retryAt: null, recentAttempts: [], dailyCap: null },
      ...changes.state,
    },
  };
}
