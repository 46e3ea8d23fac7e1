export { metaRoutes } from "./meta.routes.ts";
