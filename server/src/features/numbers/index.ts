export { addNumber, type NumbersDeps } from "./add-number.ts";
export { assignNumber, holdNumber, releaseNumberOf } from "./assign-number.ts";
export {
  type CarrierName,
  NumberAdd,
  NumberListQuery,
  NumberPage,
  NumberParams,
  OwnedNumber,
  RemovedNumber,
} from "./numbers.schema.ts";
export { pickCallerId, takeCallerId } from "./pick-caller-id.ts";
export { findCalledNumber, findNumber, findOwners, listNumbers } from "./read-numbers.ts";
export { removeNumber } from "./remove-number.ts";
