export { eventCatalogRoutes } from "./event-catalog.routes.ts";
