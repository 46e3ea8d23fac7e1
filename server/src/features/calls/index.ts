export { answerInboundCall } from "./answer-inbound-call.ts";
export { callsRoutes, START_ERRORS } from "./calls.routes.ts";
export { CallDetails, CallPage, CreatedCall, NoFields, OperatorCallListQuery } from "./calls.schema.ts";
export type { CallsDeps } from "./calls-deps.ts";
export { hangUpForOthers, hangupCall } from "./hangup-call.ts";
export { startLeases, startRecovery } from "./keep-calls.ts";
export { filterFrom, listCalls } from "./read-calls.ts";
export { readCallDetails } from "./read-details.ts";
export { startCall } from "./start-call.ts";
