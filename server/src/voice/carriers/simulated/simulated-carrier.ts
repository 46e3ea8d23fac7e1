import { FRAME_MS, type MediaLeg } from "../../media/media-leg.ts";
import type { Speech } from "../../speech/speech.ts";
import {
  type Carrier,
  type CarrierCall,
  type CarrierEvent,
  CarrierRefusal,
  type DialRequest,
  type EndCause,
} from "../carrier.ts";
import { type Scenario, scenarioOf } from "./scenarios.ts";
import {
  type Lines,
  type Person,
  type PersonOptions,
  prepareLines,
  startPerson,
  type Ticker,
} from "./simulated-person.ts";

export interface SimulatedCarrierOptions {
  mediaClock: Ticker;
  speech: Speech;
  speechDetector(): PersonOptions["speechDetector"];
  /**
   * Both ends of a line: ours and the far side's, over RTP on loopback.
   * @throws Error when there is no port left
   */
  openLine(): Promise<{ ours: MediaLeg; theirs: MediaLeg }>;
  /** Of a call's own id. Default: `sim_` and the call's id. */
  newSid?(callId: string): string;
}

type Answered = Extract<Scenario, { script: unknown }>;

/**
 * A carrier that needs no account: on its numbers people, machines and networks behave by the table in `scenarios.ts`.
 * Their voices are real audio over real RTP; only what they say is made up.
 */
export function createSimulatedCarrier(options: SimulatedCarrierOptions): Carrier {
  const calls = new Set<CarrierCall>();
  let closed = false;
  return {
    name: "simulated",
    async dial(request) {
      if (closed) throw new CarrierRefusal("no_voice_carrier_available", "The carrier is shutting down.");
      const scenario = scenarioOf(request.to);
      if ("refusal" in scenario) {
        throw new CarrierRefusal(scenario.refusal, scenario.message, scenario.outcome);
      }
      const line = "script" in scenario ? await lineFor(options) : null;
      if (closed) {
        line?.ours.close();
        line?.theirs.close();
        throw new CarrierRefusal("no_voice_carrier_available", "The carrier is shutting down.");
      }
      const call = startCall(options, request, scenario, line, () => calls.delete(call));
      calls.add(call);
      return call;
    },
    async close() {
      closed = true;
      await Promise.all([...calls].map((call) => call.hangup()));
    },
  };
}

type Line = Awaited<ReturnType<SimulatedCarrierOptions["openLine"]>>;

async function lineFor(options: SimulatedCarrierOptions): Promise<Line> {
  try {
    return await options.openLine();
  } catch (error) {
    throw new CarrierRefusal(
      "concurrency_limit",
      `No line is free: ${error instanceof Error ? error.message : String(error)}`,
      "congestion",
    );
  }
}

function startCall(
  options: SimulatedCarrierOptions,
  request: DialRequest,
  scenario: Exclude<Scenario, { refusal: unknown }>,
  line: Line | null,
  onEnded: () => void,
): CarrierCall {
  const waiting: CarrierEvent[] = [];
  let listener: ((event: CarrierEvent) => void) | undefined;
  let person: Person | undefined;
  let over = false;
  const tell = (event: CarrierEvent) => {
    if (listener) listener(event);
    else waiting.push(event);
  };
  const end = (cause: EndCause) => {
    if (over) return;
    over = true;
    stopRinging();
    person?.leave();
    line?.theirs.close();
    line?.ours.close();
    onEnded();
    tell({ type: "ended", cause });
  };

  const answer = ({ script }: Answered, lines: Lines, { ours, theirs }: Line) => {
    person = startPerson({
      leg: theirs,
      mediaClock: options.mediaClock,
      speechDetector: options.speechDetector(),
      script,
      lines,
      onSaid: (text) => {
        if (!over) tell({ type: "said", text });
      },
      onDone: () => end("remote_hangup"),
    });
    tell({ type: "answered", media: ours });
  };

  // Spoken while it rings. Who answers has their first words ready, also where speech is slow to come: a machine that kept
  // silent at first would be taken for a person.
  const lines = "script" in scenario ? prepareLines(options.speech, scenario.voice, scenario.script) : null;
  let frames = 0;
  const ringsFrames = Math.min(scenario.ringsMs, request.ringTimeoutMs) / FRAME_MS;
  const stopRinging = options.mediaClock.add(() => {
    frames++;
    if (frames === 1) tell({ type: "ringing" });
    if (frames < ringsFrames) return;
    const timeIsUp = frames * FRAME_MS >= request.ringTimeoutMs;
    if (lines && !lines.ready() && !timeIsUp) return;
    stopRinging();
    if (scenario.ringsMs > request.ringTimeoutMs) end("no_answer");
    else if ("script" in scenario) {
      try {
        answer(scenario, lines!, line!);
      } catch {
        // Nobody else would ever end it.
        end("failed");
      }
    } else end(scenario.ends);
  });

  return {
    sid: options.newSid?.(request.callId) ?? `sim_${request.callId}`,
    onEvent(given) {
      listener = given;
      for (const event of waiting.splice(0)) given(event);
    },
    async hangup() {
      end(person ? "local_hangup" : "canceled");
    },
  };
}
