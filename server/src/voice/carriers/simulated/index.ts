export { createSimulatedCarrier, type SimulatedCarrierOptions } from "./simulated-carrier.ts";
