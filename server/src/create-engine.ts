import type { Clock } from "./clock.ts";
import type { EngineConfig } from "./engine-config.ts";
import type { VoiceEngine } from "./voice/engines/engine.ts";
import type { EngineMeter } from "./voice/engines/engine-meter.ts";
import { createFallbackEngine } from "./voice/engines/fallback/create-fallback-engine.ts";
import { createPipelineEngine } from "./voice/engines/pipeline/create-pipeline-engine.ts";
import { createRealtimeEngine } from "./voice/engines/realtime/create-realtime-engine.ts";
import { createScriptedEngine } from "./voice/engines/scripted/create-scripted-engine.ts";
import type { Speech } from "./voice/speech/index.ts";

interface EngineDeps {
  clock: Clock;
  speech: Speech;
  meter: EngineMeter;
}

/** The engine that the configuration asks for; of several, one that falls back from each to the next. */
export function createEngine(
  [first, ...others]: readonly [EngineConfig, ...EngineConfig[]],
  deps: EngineDeps,
): VoiceEngine {
  if (others.length === 0) return createOne(first, deps);
  const engines = [createOne(first, deps), ...others.map((config) => createOne(config, deps))] as const;
  return createFallbackEngine({ ...deps, engines });
}

function createOne(config: EngineConfig, deps: EngineDeps): VoiceEngine {
  switch (config.name) {
    case "scripted":
      return createScriptedEngine(deps);
    case "realtime":
      return createRealtimeEngine({ ...deps, ...config });
    case "pipeline":
      return createPipelineEngine({ ...deps, ...config });
  }
}
