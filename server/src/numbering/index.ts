export { knownStates, type Place, placeOfNumber } from "./place-of-number.ts";
export { timeZoneOfNumber, zonesOfNumber } from "./zones.ts";
