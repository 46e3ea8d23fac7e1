/** What a vendor's media socket says, in words that are the same for all of them. */
export type MediaSocketMessage =
  /** Audio follows. With a problem it isn't the stream that was asked for: the socket is closed. */
  | { type: "start"; problem: string | null }
  /** µ-law at 8 kHz: one byte is one sample. */
  | { type: "audio"; payload: Uint8Array }
  | { type: "digit"; digit: string }
  /** All audio that was sent before this mark has been played. */
  | { type: "mark"; name: string }
  | { type: "stop" }
  /** Known, and of no interest. */
  | { type: "other" };

/** How one vendor's media socket is spoken to. One for each socket: it may keep what the start has told. */
export interface MediaSocketDialect {
  /** Digits come as messages: then they aren't looked for in the audio. */
  readonly digitsOutOfBand: boolean;
  /** @throws anything, for what isn't a message of the protocol */
  read(text: string): MediaSocketMessage;
  /** A message with 20 ms of µ-law: 160 bytes. Not asked for before the start. */
  audio(payload: Buffer): string;
  /** Asks for a `mark` once everything before it has been played. */
  mark(name: string): string;
}
