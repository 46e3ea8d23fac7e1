export { voicesRoutes } from "./voices.routes.ts";
