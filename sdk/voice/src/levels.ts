import type { Levels } from "./call.ts";

/** How often levels are told. */
const EVERY_MS = 80;

/** Measures both sides of a call. @returns what ends it */
export function watchLevels(
  context: AudioContext,
  streams: { microphone: MediaStream; agent: MediaStream },
  tell: (levels: Levels) => void,
): () => void {
  const microphone = meter(context, streams.microphone);
  const agent = meter(context, streams.agent);
  const timer = setInterval(() => tell({ microphone: microphone.level(), agent: agent.level() }), EVERY_MS);
  return () => {
    clearInterval(timer);
    microphone.close();
    agent.close();
  };
}

function meter(context: AudioContext, stream: MediaStream) {
  const source = context.createMediaStreamSource(stream);
  const analyser = context.createAnalyser();
  analyser.fftSize = 2_048;
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    /** Root mean square of the last 43 ms or so, 0 to 1. */
    level() {
      analyser.getFloatTimeDomainData(samples);
      let squares = 0;
      for (const sample of samples) squares += sample * sample;
      return Math.min(1, Math.sqrt(squares / samples.length));
    },
    close: () => source.disconnect(),
  };
}
