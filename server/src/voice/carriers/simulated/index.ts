export { openRtpLine } from "./rtp-line.ts";
export { createSimulatedCarrier, type SimulatedCarrierOptions } from "./simulated-carrier.ts";
