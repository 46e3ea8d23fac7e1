export { unavailableRoutes } from "./unavailable.routes.ts";
