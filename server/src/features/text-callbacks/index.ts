export { isSignedByTelnyx } from "./telnyx-signature.ts";
export { textCallbackRoutes } from "./text-callbacks.routes.ts";
export { isSignedByTwilio } from "./twilio-signature.ts";
