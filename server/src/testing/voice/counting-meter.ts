import type { EngineMeter } from "../../voice/engines/engine-meter.ts";

export interface CountingMeter extends EngineMeter {
  readonly troubles: string[];
  readonly stages: string[];
  readonly fallbacks: string[];
  readonly counted: { input: number; output: number };
}

/** Remembers what engines tell of themselves. */
export function countingMeter(): CountingMeter {
  const troubles: string[] = [];
  const stages: string[] = [];
  const fallbacks: string[] = [];
  const counted = { input: 0, output: 0 };
  return {
    troubles,
    stages,
    fallbacks,
    counted,
    stage: (_, stage) => void stages.push(stage),
    trouble: (_, kind) => void troubles.push(kind),
    tokens(_, direction, count) {
      counted[direction] += count;
    },
    fellBack: (from, to) => void fallbacks.push(`${from} → ${to}`),
  };
}
