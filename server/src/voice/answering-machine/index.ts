export { createBeepDetector } from "./beep-detector.ts";
export { createMachineDetector } from "./machine-detector.ts";
