export { type BeepDetector, createBeepDetector } from "./beep-detector.ts";
export {
  createMachineDetector,
  type MachineDetector,
  type MachineDetectorOptions,
  type Verdict,
} from "./machine-detector.ts";
