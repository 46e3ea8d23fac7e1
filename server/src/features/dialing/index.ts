export { createCallPlacer } from "./call-placer.ts";
export { dialerSettings } from "./claim-leads.sql.ts";
export { createDialer } from "./create-dialer.ts";
export type { DialingDeps } from "./dialing-deps.ts";
export type { DialingMetrics } from "./dialing-metrics.ts";
export { markDialed } from "./mark-dialed.ts";
export { readDialingFigures } from "./read-figures.ts";
export { settleAttempt } from "./settle-attempt.ts";
