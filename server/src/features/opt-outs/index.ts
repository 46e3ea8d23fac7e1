export { recordOptOut } from "./record-opt-out.ts";
