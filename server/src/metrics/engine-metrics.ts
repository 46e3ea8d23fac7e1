import { Counter, Histogram, type Registry } from "prom-client";
import type { EngineMeter } from "../voice/engines/engine-meter.ts";

const STAGE_SECONDS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];

/** How the engines of calls are doing, for each engine of this process. */
export function createEngineMetrics(registry: Registry): EngineMeter {
  const registers = [registry];
  const stages = new Histogram({
    name: "outreach_voice_turn_seconds",
    help: "Time of one stage of an agent's turn: stt, llm (to its first sentence), tts (to its first audio), turn (from the end of the person's speech to the first audio)",
    labelNames: ["engine", "stage"],
    buckets: STAGE_SECONDS,
    registers,
  });
  const troubles = new Counter({
    name: "outreach_voice_provider_troubles_total",
    help: "What model servers did wrong, by engine and kind",
    labelNames: ["engine", "kind"],
    registers,
  });
  const tokens = new Counter({
    name: "outreach_voice_model_tokens_total",
    help: "Tokens as the model servers counted them",
    labelNames: ["engine", "direction"],
    registers,
  });
  const fallbacks = new Counter({
    name: "outreach_voice_engine_fallbacks_total",
    help: "Calls that another engine was started for, or took over",
    labelNames: ["from", "to"],
    registers,
  });
  return {
    stage: (engine, stage, seconds) => stages.observe({ engine, stage }, seconds),
    trouble: (engine, kind) => troubles.inc({ engine, kind }),
    tokens: (engine, direction, count) => tokens.inc({ engine, direction }, count),
    fellBack: (from, to) => fallbacks.inc({ from, to }),
  };
}
