import { FRAME_SAMPLES } from "../media/media-leg.ts";
import type { RecordingSink } from "./ports.ts";

export interface CallRecorder {
  /** Asks for a recording. What is said until it is open is kept. */
  begin(open: () => Promise<RecordingSink | null>): void;
  /** 20 ms of both sides: the agent's, the other's. Before `begin` only their time is kept, as silence. */
  write(agent: Int16Array, other: Int16Array): void;
  /** @returns the size in bytes, or null when there is no recording. Never rejects. */
  finish(): Promise<number | null>;
}

const SILENCE = new Int16Array(FRAME_SAMPLES);
/** 10 s: a store that takes longer to open loses what came after. */
const MOST_WAITING_FRAMES = 500;

/**
 * Writes a call's recording. Its time begins with the answer, so that it fits the transcript's; what was said before
 * `begin`, while it was found out who answered, is silence in it.
 */
export function createCallRecorder(onError: (error: unknown) => void): CallRecorder {
  let sink: RecordingSink | null = null;
  let opening: Promise<void> | undefined;
  let framesBefore = 0;
  let waiting: { agent: Int16Array; other: Int16Array }[] | null = null;

  return {
    begin(open) {
      if (opening) return;
      waiting = [];
      opening = (async () => {
        try {
          sink = await open();
          for (let frame = 0; sink && frame < framesBefore; frame++) sink.write(SILENCE, SILENCE);
          for (const { agent, other } of waiting ?? []) sink?.write(agent, other);
        } catch (error) {
          onError(error);
        }
        waiting = null;
      })();
    },
    write(agent, other) {
      if (!opening) framesBefore++;
      else if (waiting && waiting.length < MOST_WAITING_FRAMES) {
        waiting.push({ agent: agent.slice(), other: other.slice() });
      } else {
        sink?.write(agent, other);
      }
    },
    async finish() {
      await opening;
      const finished = sink;
      sink = null;
      return (
        (await finished?.finish().catch((error: unknown) => {
          onError(error);
          return null;
        })) ?? null
      );
    },
  };
}
