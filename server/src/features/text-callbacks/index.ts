export { textCallbackRoutes } from "./text-callbacks.routes.ts";
