export { timeZoneOfNumber, zonesOfNumber } from "./zones.ts";
