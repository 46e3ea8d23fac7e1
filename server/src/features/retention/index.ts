export { createActivityTracker } from "./activity.ts";
export { startJanitor } from "./janitor.ts";
