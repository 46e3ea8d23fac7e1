import { InvalidOffer } from "../session/voice-plane.ts";
import type { BrowserEvent, BrowserLeg, BrowserMessage } from "./browser-leg.ts";
import { createBrowserMedia } from "./browser-media.ts";
import { once } from "./once.ts";
import type { Peer, PeerOptions } from "./peer.ts";
import { readOffer } from "./read-offer.ts";

export interface OpenLegOptions {
  addresses: readonly string[];
  ports: { from: number; to: number };
  onError(error: unknown): void;
  /** The stack looks for a free port before it takes it: two at once would find the same. */
  oneAtATime<Result>(run: () => Promise<Result>): Promise<Result>;
  onEvent(message: BrowserMessage): void;
  /** Its sockets are closed. */
  onReleased(): void;
}

export interface OpenLeg extends BrowserLeg {
  /** Called every second: ends the leg when its page has gone silent. */
  watch(): void;
  /** Resolves when its sockets are closed. */
  readonly released: Promise<void>;
}

/**
 * A page sends 50 packets of audio a second, muted or not, and a check of the connection every 2.5 s at least: one that
 * sends nothing at all has been closed, or its network has gone.
 */
const SILENT_MS = 5_000;

/** What waits for a channel that never opens. */
const MAX_WAITING_EVENTS = 1_000;

/** So long may the last messages take on their way. */
const FAREWELL_MS = 300;

const PORT_ATTEMPTS = 5;

export function openLeg(options: OpenLegOptions): OpenLeg {
  const media = createBrowserMedia();
  const connected = once();
  const gone = once();
  const waiting: BrowserEvent[] = [];
  let peer: Peer | null = null;
  let offered = false;
  let closed = false;
  let lastHeard = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  }).then(options.onReleased);

  // 100 ms the first time, and the offer is likely to come soon.
  const stack = loadStack();
  stack.catch(() => {});

  const pageGone = () => {
    if (closed) return;
    end(0);
    gone.happen();
  };
  const end = (farewellMs: number) => {
    if (closed) return;
    closed = true;
    media.leg.close();
    connected.forget();
    const closing = peer?.close(farewellMs) ?? Promise.resolve();
    closing.catch(options.onError).finally(release);
  };
  const flush = () => {
    while (waiting.length > 0 && peer?.sendText(JSON.stringify(waiting[0]))) waiting.shift();
  };

  const peerOptions: PeerOptions = {
    addresses: options.addresses,
    ports: options.ports,
    onError: options.onError,
    onHeard: () => {
      lastHeard = performance.now();
    },
    onPacket: media.packetCame,
    onConnected: (send, law) => {
      if (closed) return;
      lastHeard = performance.now();
      media.sendBy(send, law);
      connected.happen();
    },
    onChannelOpen: flush,
    onMessage: (message) => {
      if (!closed) options.onEvent(message);
    },
    onClosed: pageGone,
  };

  return {
    media: { ...media.leg, close: () => end(FAREWELL_MS) },
    released,
    async connect(offerSdp) {
      if (offered) throw new InvalidOffer("The call has had its offer already.");
      const offer = readOffer(offerSdp);
      offered = true;
      const createPeer = await stack;
      return await options.oneAtATime(async () => {
        for (let attempt = 1; ; attempt++) {
          if (closed) throw new InvalidOffer("The call is over.");
          peer = createPeer(peerOptions);
          const answer = await peer.answer(offer);
          if (answer.includes("\na=candidate:")) return answer;
          // Another socket of this process or the machine took the port in between.
          if (attempt === PORT_ATTEMPTS) throw new Error("No UDP port was free for a browser call.");
          await peer.close(0);
        }
      });
    },
    sendEvent(event) {
      if (closed || waiting.length >= MAX_WAITING_EVENTS) return;
      waiting.push(event);
      flush();
    },
    onConnected: connected.listen,
    onClosed: gone.listen,
    close() {
      end(FAREWELL_MS);
      gone.forget();
    },
    watch() {
      if (!closed && connected.happened && performance.now() - lastHeard > SILENT_MS) pageGone();
    },
  };
}

async function loadStack() {
  const { createPeer, prepareCertificate } = await import("./peer.ts");
  await prepareCertificate();
  return createPeer;
}
