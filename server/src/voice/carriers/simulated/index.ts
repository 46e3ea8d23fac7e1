export { openRtpLine } from "./rtp-line.ts";
export { createSimulatedCarrier } from "./simulated-carrier.ts";
