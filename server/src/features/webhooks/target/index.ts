export { checkTargetUrl, type TargetCheckDeps, type VettedTarget } from "./check-target.ts";
export { createTargetResolver } from "./create-target-resolver.ts";
export type { OwnedTargetResolver, TargetResolver } from "./target-resolver.ts";
