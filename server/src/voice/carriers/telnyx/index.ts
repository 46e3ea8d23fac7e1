export { createTelnyxCarrier, type TelnyxCarrier } from "./create-telnyx-carrier.ts";
