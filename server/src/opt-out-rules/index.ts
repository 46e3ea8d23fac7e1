export { type Channel, type OptOutReading, readOptOut, type Speaker } from "./read-opt-out.ts";
