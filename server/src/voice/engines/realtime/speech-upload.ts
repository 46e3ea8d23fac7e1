import { encodeG711 } from "../../media/g711.ts";
import type { RecordItem, SpokenRecord } from "./spoken-record.ts";

type Spoken = Extract<RecordItem, { kind: "user" }>;

/** What the person says, on its way to the server: in pieces of 100 ms, and kept until its words are known. */
export interface SpeechUpload {
  began(before: Int16Array): void;
  went(samples: Int16Array): void;
  ended(): void;
  dropped(): void;
  /** It is under way. */
  readonly isOpen: boolean;
  /** Sends what is under way once more: the connection is a new one. */
  resend(): void;
  /** The server has given the speech that was committed first an id. */
  committed(itemId: string): void;
  transcribed(itemId: string, text: string): void;
}

const PIECE_SAMPLES = 800;
/** 60 s: more of one speech isn't kept for another connection. */
const MOST_PIECES = 600;
/** Of more speeches without words the sound isn't kept. */
const MOST_UNREAD = 8;

export function createSpeechUpload(record: SpokenRecord, send: (message: object) => void): SpeechUpload {
  const piece = new Int16Array(PIECE_SAMPLES);
  let filled = 0;
  let pieces: string[] | null = null;
  /** Committed, and without an id of the server's. */
  let unnamed: Spoken[] = [];
  const named = new Map<string, Spoken>();
  let unread: Spoken[] = [];

  const flush = () => {
    if (filled === 0 || !pieces) return;
    const audio = Buffer.from(encodeG711("pcmu", piece.subarray(0, filled))).toString("base64");
    filled = 0;
    pieces.push(audio);
    if (pieces.length > MOST_PIECES) pieces.shift();
    send({ type: "input_audio_buffer.append", audio });
  };
  const push = (samples: Int16Array) => {
    for (let at = 0; at < samples.length; ) {
      const count = Math.min(samples.length - at, PIECE_SAMPLES - filled);
      piece.set(samples.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled === PIECE_SAMPLES) flush();
    }
  };

  return {
    began(before) {
      pieces = [];
      filled = 0;
      push(before);
    },
    went(samples) {
      if (pieces) push(samples);
    },
    ended() {
      if (!pieces) return;
      flush();
      const spoken = record.add({ kind: "user" as const, text: null, audio: pieces });
      pieces = null;
      unnamed.push(spoken);
      unread.push(spoken);
      if (unread.length > MOST_UNREAD) forget(unread.shift() as Spoken);
      send({ type: "input_audio_buffer.commit" });
    },
    dropped() {
      pieces = null;
      filled = 0;
      send({ type: "input_audio_buffer.clear" });
    },
    get isOpen() {
      return pieces !== null;
    },
    resend() {
      // What was committed on the old connection has no id on the new one.
      unnamed = [];
      named.clear();
      for (const audio of pieces ?? []) send({ type: "input_audio_buffer.append", audio });
    },
    committed(itemId) {
      const spoken = unnamed.shift();
      if (spoken) named.set(itemId, spoken);
    },
    transcribed(itemId, text) {
      const spoken = named.get(itemId) ?? unnamed.shift();
      named.delete(itemId);
      if (!spoken) return;
      spoken.text = text;
      spoken.audio = [];
      unread = unread.filter((other) => other !== spoken);
    },
  };
}

function forget(spoken: Spoken) {
  spoken.text = "[speech]";
  spoken.audio = [];
}
