import type { Carrier, CarrierCall, CarrierEvent, DialRequest } from "../../voice/carriers/carrier.ts";
import { type FarEnd, memoryLine } from "./memory-line.ts";

export interface FakeCarrierCall {
  readonly request: DialRequest;
  readonly far: FarEnd;
  ring(): void;
  answer(): void;
  say(text: string): void;
  end(cause: Extract<CarrierEvent, { type: "ended" }>["cause"]): void;
  /** Whether our side has hung up. */
  readonly hungUp: boolean;
  /** Sends an event, whatever it is and whenever. */
  emit(event: CarrierEvent): void;
}

export interface FakeCarrier extends Carrier {
  readonly calls: FakeCarrierCall[];
  /** Refuses the next calls, or takes them again. */
  refuse(refusal: Error | null): void;
}

/** A carrier in a test's hands: calls ring, are answered and end when the test says so. */
export function fakeCarrier(): FakeCarrier {
  const calls: FakeCarrierCall[] = [];
  let refusal: Error | null = null;
  return {
    name: "fake",
    calls,
    refuse(given) {
      refusal = given;
    },
    async dial(request): Promise<CarrierCall> {
      if (refusal) throw refusal;
      const { leg, far } = memoryLine();
      const waiting: CarrierEvent[] = [];
      let listener: ((event: CarrierEvent) => void) | undefined;
      let ended = false;
      let hungUp = false;
      const emit = (event: CarrierEvent) => {
        if (listener) listener(event);
        else waiting.push(event);
      };
      const end: FakeCarrierCall["end"] = (cause) => {
        if (ended) return;
        ended = true;
        emit({ type: "ended", cause });
      };
      calls.push({
        request,
        far,
        ring: () => emit({ type: "ringing" }),
        answer: () => emit({ type: "answered", media: leg }),
        say: (text) => emit({ type: "said", text }),
        end,
        emit,
        get hungUp() {
          return hungUp;
        },
      });
      return {
        sid: `fake_${request.callId}`,
        onEvent(given) {
          listener = given;
          for (const event of waiting.splice(0)) given(event);
        },
        async hangup() {
          hungUp = true;
          end("local_hangup");
        },
      };
    },
    async close() {},
  };
}
