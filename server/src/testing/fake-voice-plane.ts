import type { CallStatus } from "../voice/call-states.ts";
import type { Carrier } from "../voice/carriers/carrier.ts";
import { CarrierRefusal } from "../voice/carriers/carrier.ts";
import type { CallEnd, CallPorts, CallSetup } from "../voice/session/ports.ts";
import { InvalidOffer, type LiveBrowserCall, type VoicePlane } from "../voice/session/voice-plane.ts";

/** A call on the fake plane, moved by the test. */
export interface FakeCall extends LiveBrowserCall {
  readonly setup: CallSetup;
  readonly ports: CallPorts;
  readonly dial: { carrier: Carrier; from: string; to: string } | null;
  ring(): Promise<void>;
  /** Rings first when it hasn't. */
  answer(): Promise<void>;
  say(role: "agent" | "user", text: string): Promise<void>;
  /** Tells the end; `at` is the clock's now. */
  end(end?: Partial<CallEnd>): Promise<void>;
  /** As if the process had died: the plane forgets it, and nobody is told. */
  vanish(): void;
}

export interface FakeVoicePlane extends VoicePlane {
  readonly calls: FakeCall[];
  last(): FakeCall;
  /** The next start fails with this. */
  refuseNext(error: Error): void;
}

/** A plane without media: calls do what the test tells them. Hanging up, draining and closing work as they should. */
export function fakeVoicePlane(clock: { now(): number }): FakeVoicePlane {
  const calls: FakeCall[] = [];
  const running = new Map<string, FakeCall>();
  let refusal: Error | null = null;
  let draining = false;

  const start = (setup: CallSetup, ports: CallPorts, dial: FakeCall["dial"]): FakeCall => {
    if (refusal) {
      const error = refusal;
      refusal = null;
      throw error;
    }
    if (draining) throw new CarrierRefusal("concurrency_limit", "This process takes no more calls.");
    let status: CallStatus = "initiating";
    let answeredAt: number | null = null;
    let connected = false;
    let told: Promise<void> | undefined;
    let resolveEnded = () => {};
    const ended = new Promise<void>((resolve) => {
      resolveEnded = resolve;
    });
    const call: FakeCall = {
      callId: setup.callId,
      sid: dial ? `fake-${setup.callId}` : `web_${setup.callId}`,
      setup,
      ports,
      dial,
      ended,
      status: () => status,
      onTurn() {},
      async ring() {
        status = "initiated";
        await ports.moved("initiated", clock.now());
      },
      async answer() {
        if (status === "initiating") await call.ring();
        status = "in-progress";
        answeredAt = clock.now();
        await ports.moved("in-progress", answeredAt);
      },
      say: (role, text) =>
        ports.turn({
          role,
          source: role === "agent" ? "script" : "simulated",
          text,
          startMs: 0,
          endMs: 900.4,
        }),
      end(end = {}) {
        told ??= (async () => {
          status = end.status ?? "completed";
          await ports.ended({
            status: "completed",
            outcome: "completed",
            reason: "The far side hung up.",
            at: clock.now(),
            answeredAt,
            recordingBytes: null,
            ...end,
          });
          running.delete(setup.callId);
          resolveEnded();
        })();
        return told;
      },
      vanish: () => void running.delete(setup.callId),
      hangup: (reason) =>
        call.end(
          answeredAt === null
            ? { status: "canceled", outcome: "canceled", reason }
            : { status: "completed", outcome: "completed", reason },
        ),
      optedOut: (reason) =>
        answeredAt === null ? call.hangup(reason) : call.end({ outcome: "do_not_call", reason }),
      async connect(offer) {
        if (!offer.startsWith("v=0")) throw new InvalidOffer("The SDP can't be read.");
        if (connected) throw new InvalidOffer("The call is connected already.");
        connected = true;
        await call.ring();
        return `v=0\r\ns=answer of ${setup.callId}\r\n`;
      },
    };
    calls.push(call);
    running.set(setup.callId, call);
    return call;
  };
  const settled = () => Promise.all([...running.values()].map(({ ended }) => ended)).then(() => {});

  return {
    calls,
    last: () => calls.at(-1)!,
    refuseNext: (error) => {
      refusal = error;
    },
    startPhoneCall: async (setup, ports, dial) => start(setup, ports, dial),
    startBrowserCall: async (setup, ports) => start(setup, ports, null),
    find: (callId) => running.get(callId),
    findBrowserCall: (callId) => running.get(callId),
    running: () => [...running.keys()],
    async drain() {
      draining = true;
      await settled();
    },
    async close() {
      draining = true;
      for (const call of running.values())
        void call.end({ status: "failed", outcome: "failed", reason: "The service was shut down." });
      await settled();
    },
  };
}
