export { createTwilioCarrier, type TwilioCarrier } from "./create-twilio-carrier.ts";
