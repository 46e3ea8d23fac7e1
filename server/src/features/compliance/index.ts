export type { CallQuestion, Verdict } from "./call-question.ts";
export { callingRules } from "./calling-rules.ts";
export { checkNumber } from "./check-number.ts";
export { ComplianceCheck, ComplianceQuery } from "./compliance.schema.ts";
export { createDecideCall } from "./decide-call.ts";
export { loadRules } from "./rule-book.ts";
