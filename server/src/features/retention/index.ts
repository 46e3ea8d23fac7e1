export { type ActivityTracker, createActivityTracker } from "./activity.ts";
export { type Janitor, type JanitorDeps, startJanitor } from "./janitor.ts";
