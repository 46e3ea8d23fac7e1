import type { ApiCaller } from "../../http/authentication.ts";
import type { RouteDefinition } from "../../http/route.ts";
import type { CallCallbackDeps } from "./call-callback-deps.ts";
import { telnyxCallRoutes } from "./telnyx-calls.routes.ts";
import { twilioCallRoutes } from "./twilio-calls.routes.ts";

/** Where vendors tell of calls. Their signatures are the credential. */
export function callCallbackRoutes(deps: CallCallbackDeps): RouteDefinition<ApiCaller>[] {
  return [...twilioCallRoutes(deps), ...telnyxCallRoutes(deps)];
}
