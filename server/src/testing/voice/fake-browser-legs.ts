import type {
  BrowserEvent,
  BrowserLegOptions,
  BrowserLegs,
  BrowserMessage,
} from "../../voice/browser/browser-leg.ts";
import { InvalidOffer } from "../../voice/session/voice-plane.ts";
import { type FarEnd, memoryLine } from "./memory-line.ts";

export interface FakePage {
  readonly options: BrowserLegOptions;
  readonly far: FarEnd;
  /** What the service sent beside the audio. */
  readonly events: BrowserEvent[];
  /** Its audio begins to flow. */
  flow(): void;
  send(message: BrowserMessage): void;
  closePage(): void;
  readonly closed: boolean;
}

export interface FakeBrowserLegs extends BrowserLegs {
  readonly pages: FakePage[];
}

/** Pages in a test's hands. The offer `bad` is refused. */
export function fakeBrowserLegs(): FakeBrowserLegs {
  const pages: FakePage[] = [];
  return {
    pages,
    open(options) {
      const { leg, far } = memoryLine();
      const events: BrowserEvent[] = [];
      const firstAudio: (() => void)[] = [];
      const onClosed: (() => void)[] = [];
      let closed = false;
      pages.push({
        options,
        far,
        events,
        flow() {
          for (const listener of firstAudio) listener();
        },
        send: (message) => options.onEvent(message),
        closePage() {
          for (const listener of onClosed) listener();
        },
        get closed() {
          return closed;
        },
      });
      return {
        async connect(offer) {
          if (offer === "bad") throw new InvalidOffer("no audio in it");
          return `answer to ${offer}`;
        },
        media: { ...leg, onFirstAudio: (listener) => void firstAudio.push(listener) },
        sendEvent(event) {
          if (!closed) events.push(event);
        },
        onConnected() {},
        onClosed: (listener) => void onClosed.push(listener),
        close() {
          closed = true;
          leg.close();
        },
      };
    },
    async close() {},
  };
}
