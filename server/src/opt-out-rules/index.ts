export { type Channel, readOptOut, type Speaker } from "./read-opt-out.ts";
