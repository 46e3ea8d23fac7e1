export { addTrunk, type TrunksDeps } from "./add-trunk.ts";
export { keepTrunkLimits } from "./keep-trunk-limits.ts";
export { listTrunks, trunkSource } from "./read-trunks.ts";
export { removeTrunk } from "./remove-trunk.ts";
export { testTrunk } from "./test-trunk.ts";
export {
  RemovedTrunk,
  TrunkAdd,
  TrunkListQuery,
  TrunkPage,
  TrunkParams,
  TrunkRecord,
  TrunkTest,
} from "./trunks.schema.ts";
