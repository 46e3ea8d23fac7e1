export type { CallQuestion, Verdict } from "./call-question.ts";
export { callingRules } from "./calling-rules.ts";
export { checkNumber } from "./check-number.ts";
export { ComplianceCheck, ComplianceQuery } from "./compliance.schema.ts";
export { createDecideCall } from "./decide-call.ts";
export { listVerdicts, readVerdictOfCall } from "./read-verdicts.ts";
export { loadRules } from "./rule-book.ts";
export { StoredVerdictPage, VerdictListQuery, VerdictOrNull } from "./stored-verdict.schema.ts";
