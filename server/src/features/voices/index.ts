export { type VoicesDeps, voicesRoutes } from "./voices.routes.ts";
