export { hostText, parseUri } from "./address.ts";
export { createSipCarrier, type SipCarrier } from "./create-sip-carrier.ts";
export { PROTOCOLS, type Protocol } from "./flow.ts";
export { probeTrunk } from "./probe-trunk.ts";
export { resolveTarget } from "./resolve-target.ts";
export type { Trunk, TrunkSource } from "./trunk.ts";
export { type HeldLine, LONGEST_WAIT_MS, type TrunkKey, type TrunkLimits } from "./trunk-limits.ts";
