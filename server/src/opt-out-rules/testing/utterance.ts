import type { Channel, Speaker } from "../index.ts";

/** One thing said or written, and what a person makes of it. */
export interface Utterance {
  text: string;
  channel: Channel;
  speaker: Speaker;
  isOptOut: boolean;
}

export function utterances(
  about: { channel: Channel; speaker?: Speaker; isOptOut: boolean },
  texts: readonly string[],
): Utterance[] {
  return texts.map((text) => ({ text, speaker: "user", ...about }));
}
