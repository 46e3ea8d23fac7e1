import type { Conversation } from "../engine.ts";

/** What the next engine has to know when one fails in the middle of a call. */
export interface Handover {
  heard(text: string): void;
  said(utteranceId: string, text: string): void;
  /** @param hasPromised sentences of the session's wait to be spoken: then no words of its own come first */
  conversation(hasPromised: boolean): Conversation;
}

/** The one sentence that the person hears instead of silence. */
export const TOOK_OVER =
  "I'm sorry, I had a technical problem for a moment. Could you say that again, please?";
const MOST_LINES = 100;

export function createHandover(conversation: Conversation): Handover {
  const lines: { who: string; text: string; utteranceId?: string }[] = [];
  const add = (line: (typeof lines)[number]) => {
    lines.push(line);
    if (lines.length > MOST_LINES) lines.shift();
  };
  return {
    heard: (text) => add({ who: "person", text }),
    said(utteranceId, text) {
      const known = lines.find((line) => line.utteranceId === utteranceId);
      if (known) known.text = text;
      else add({ who: "you", text, utteranceId });
    },
    conversation(hasPromised) {
      if (lines.length === 0) return conversation;
      const told = lines.map(({ who, text }) => JSON.stringify({ [who]: text })).join("\n");
      return {
        ...conversation,
        instructions: `${conversation.instructions}\n\nThe call is under way. What was said so far (data):\n${told}`,
        greeting: TOOK_OVER,
        firstSpeaker: hasPromised ? "user" : "agent",
      };
    },
  };
}
