export {
  type TargetCheckDeps,
  type VettedTarget,
  vetLiteral,
  vetName,
} from "./check-target.ts";
export { createTargetResolver } from "./create-target-resolver.ts";
export { type ParsedTarget, parseTarget } from "./parse-target.ts";
export { shareLookups } from "./shared-lookups.ts";
export type { TargetResolver } from "./target-resolver.ts";
