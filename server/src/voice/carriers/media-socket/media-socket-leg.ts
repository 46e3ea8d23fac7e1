import type { RawData, WebSocket } from "ws";
import { decodeG711, encodeG711 } from "../../media/g711.ts";
import { FRAME_SAMPLES, type MediaLeg, SAMPLE_RATE } from "../../media/media-leg.ts";
import { createBurstBuffer } from "./burst-buffer.ts";
import type { MediaSocketDialect, MediaSocketMessage } from "./media-socket-dialect.ts";

export interface MediaSocketLegOptions {
  /** Open. The leg's from here on. */
  socket: WebSocket;
  dialect: MediaSocketDialect;
  /** Audio flows now: once. */
  onStarted(): void;
  /** The far side has ended the stream, or the connection broke: once, and not after `close`. */
  onLost(reason: string): void;
  /** What a listener threw: it must not take the process with it. */
  onError?(error: unknown): void;
  /** Milliseconds that only grow. `performance.now` when left out. */
  now?(): number;
}

const DIGIT = /^[0-9*#A-D]$/;
const SAMPLES_PER_MS = SAMPLE_RATE / 1_000;
/** Unsent audio of about a second: what is said now would be heard far too late. */
const MOST_UNSENT_BYTES = 16 * 1024;
const FRAMES_PER_MARK = 50;
/** The far side plays that much later than it is sent (300 ms, the way there and back included): pauses are shortened. */
const MOST_FRAMES_AHEAD = 15;
/** What counts as a pause. */
const SILENT_BELOW = 16;
/** Nobody speaks another protocol by mistake for long. */
const MOST_REFUSED_IN_A_ROW = 100;

/**
 * One call's audio over a vendor's media socket: µ-law frames of 20 ms in text messages. Nothing is sent before the far side
 * has said that the stream begins.
 *
 * The far side plays what it is sent at its own pace, and what once waited there would wait until the end of the call, since a
 * session sends its pauses too. So a mark is sent each second, and when they come back late pauses aren't sent for a while.
 */
export function openMediaSocketLeg(options: MediaSocketLegOptions): MediaLeg {
  const { socket, dialect } = options;
  const now = options.now ?? (() => performance.now());
  const buffer = createBurstBuffer();
  const digitListeners: ((digit: string) => void)[] = [];
  let firstAudioListeners: (() => void)[] = [];
  const encoded = Buffer.alloc(FRAME_SAMPLES);
  let isOpen = true;
  let hasStarted = false;
  let heardAudio = false;
  let framesSent = 0;
  let packetsReceived = 0;
  let packetsRefused = 0;
  let refusedInARow = 0;
  let lastArrival: { atMs: number; samples: number } | null = null;
  let jitterMs = 0;
  let framesToSkip = 0;

  function safely(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      options.onError?.(error);
    }
  }

  function lose(reason: string): void {
    if (!isOpen) return;
    close();
    safely(() => options.onLost(reason));
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    firstAudioListeners = [];
    // A far side that doesn't answer the farewell is given up by `ws` after 30 s; nothing it says is heard any more.
    socket.close(1000);
  }

  function refuse(): void {
    packetsRefused++;
    if (++refusedInARow >= MOST_REFUSED_IN_A_ROW) lose("it doesn't speak the media protocol");
  }

  function hear(payload: Uint8Array): void {
    const atMs = now();
    // RFC 3550, 6.4.1, by the audio's own length: there are no timestamps that all vendors send.
    const length = payload.length / SAMPLES_PER_MS;
    if (lastArrival) jitterMs += (Math.abs(atMs - lastArrival.atMs - lastArrival.samples) - jitterMs) / 16;
    lastArrival = { atMs, samples: length };
    packetsReceived++;
    buffer.push(decodeG711("pcmu", payload));
    if (heardAudio) return;
    heardAudio = true;
    for (const listener of firstAudioListeners.splice(0)) safely(listener);
  }

  function receive(data: RawData, isBinary: boolean): void {
    if (!isOpen) return;
    const message = isBinary ? null : readable(data.toString());
    if (message === null) {
      refuse();
      return;
    }
    refusedInARow = 0;
    obey(message);
  }

  /** @returns null for what makes no sense, or not now */
  function readable(text: string): MediaSocketMessage | null {
    try {
      const message = dialect.read(text);
      if (message.type === "start" ? hasStarted : !hasStarted && isOfStream(message.type)) return null;
      return message.type === "digit" && !DIGIT.test(message.digit) ? null : message;
    } catch {
      return null;
    }
  }

  function obey(message: MediaSocketMessage): void {
    if (message.type === "start") {
      hasStarted = message.problem === null;
      if (message.problem === null) safely(options.onStarted);
      else lose(message.problem);
    } else if (message.type === "audio") {
      if (message.payload.length > 0) hear(message.payload);
    } else if (message.type === "digit") {
      for (const listener of digitListeners) safely(() => listener(message.digit));
    } else if (message.type === "mark") {
      played(Number(message.name));
    } else if (message.type === "stop") {
      lose("the far side ended the stream");
    }
  }

  function played(mark: number): void {
    if (!(mark > 0 && mark <= framesSent)) return;
    const ahead = framesSent - mark;
    framesToSkip = ahead > MOST_FRAMES_AHEAD ? ahead - Math.floor(MOST_FRAMES_AHEAD / 2) : 0;
  }

  socket.on("message", receive);
  socket.on("error", () => lose("the connection broke"));
  socket.on("close", () => lose("the far side closed the connection"));

  return {
    digitsOutOfBand: () => dialect.digitsOutOfBand,
    receive: () => (isOpen ? buffer.pull() : null),
    send(samples) {
      if (!isOpen || !hasStarted) return;
      if (samples.length !== FRAME_SAMPLES) throw new RangeError(`A frame has ${FRAME_SAMPLES} samples.`);
      if (socket.bufferedAmount > MOST_UNSENT_BYTES) return;
      if (framesToSkip > 0 && isPause(samples)) {
        framesToSkip--;
        return;
      }
      encodeG711("pcmu", samples, encoded);
      socket.send(dialect.audio(encoded));
      framesSent++;
      if (framesSent % FRAMES_PER_MARK === 0) socket.send(dialect.mark(String(framesSent)));
    },
    onDigit(listener) {
      digitListeners.push(listener);
    },
    onFirstAudio(listener) {
      if (heardAudio) listener();
      else firstAudioListeners.push(listener);
    },
    stats() {
      const { framesConcealed, framesDropped, waitingMs } = buffer.stats();
      return {
        framesSent,
        packetsReceived,
        packetsLost: framesDropped,
        framesConcealed,
        packetsRefused,
        jitterMs,
        delayMs: waitingMs,
      };
    },
    close,
  };
}

function isOfStream(type: string): boolean {
  return type === "audio" || type === "digit" || type === "mark";
}

function isPause(samples: Int16Array): boolean {
  return samples.every((sample) => Math.abs(sample) < SILENT_BELOW);
}
