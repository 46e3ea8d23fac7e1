import type { Conversation, EngineEvent, EngineSession, ToolResult } from "../engine.ts";
import { createHandover } from "./handover.ts";

/** Starts the first engine from this index on that can be started. @throws EngineUnavailable */
export type StartFrom = (
  first: number,
  conversationFor: (index: number) => Conversation,
) => Promise<{ index: number; session: EngineSession }>;

/** The conversation of one call, with one engine after the other. */
export async function createFallbackSession(
  conversation: Conversation,
  startFrom: StartFrom,
): Promise<EngineSession> {
  const handover = createHandover(conversation);
  /** Sentences of the session's that aren't spoken yet, by their ids. */
  const promised = new Map<string, string>();
  const open = new Set<string>();
  let current: { index: number; session: EngineSession } | null = null;
  /** Events of engines below have no say any more. */
  let least = 0;
  let begun = false;
  let personSpeaks = false;
  let closed = false;

  // The session's own ids are its own in every engine; others are told apart by the engine they come from.
  const outer = (index: number, id: string) => (index === 0 || promised.has(id) ? id : `${index}:${id}`);
  const inner = (id: string): string | null => {
    if (!current || current.index === 0 || promised.has(id)) return id;
    const prefix = `${current.index}:`;
    return id.startsWith(prefix) ? id.slice(prefix.length) : null;
  };

  function listen(index: number, event: EngineEvent) {
    if (closed || index < least) return;
    switch (event.type) {
      case "failed":
        return fallBack(index + 1, event.message);
      case "heard":
      case "interrupt":
        if (event.type === "heard") handover.heard(event.text);
        return conversation.emit(event);
      case "tool_call":
        return conversation.emit({ ...event, id: outer(index, event.id) });
    }
    const utteranceId = outer(index, event.utteranceId);
    if (event.type === "audio") open.add(utteranceId);
    if (event.type === "text") handover.said(utteranceId, event.text);
    if (event.type === "spoken") open.delete(utteranceId);
    conversation.emit({ ...event, utteranceId });
    if (event.type === "spoken") promised.delete(utteranceId);
  }

  const conversationFor = (index: number): Conversation => ({
    ...(begun ? handover.conversation(promised.size > 0) : conversation),
    emit: (event) => listen(index, event),
  });

  function fallBack(next: number, message: string) {
    least = next;
    close(current?.session);
    current = null;
    // Nothing more will come of what it had begun to say.
    for (const utteranceId of open) {
      conversation.emit({ type: "spoken", utteranceId });
      promised.delete(utteranceId);
    }
    open.clear();
    startFrom(next, conversationFor).then(takeOver, () => {
      if (!closed) conversation.emit({ type: "failed", message });
    });
  }

  function takeOver(started: { index: number; session: EngineSession }) {
    if (closed) return close(started.session);
    if (started.index < least) return;
    current = started;
    if (!begun) return;
    const { session } = started;
    if (personSpeaks) session.speechStarted();
    session.begin();
    for (const [utteranceId, text] of promised) session.say(text, utteranceId);
  }

  const started = await startFrom(0, conversationFor);
  // It may have failed in the meantime, and another is on its way.
  if (started.index >= least) current = started;

  const tell = (what: (session: EngineSession) => void) => {
    if (current) what(current.session);
  };
  const tellOf = (id: string, what: (session: EngineSession, id: string) => void) => {
    const known = inner(id);
    if (known !== null) tell((session) => what(session, known));
  };
  return {
    begin() {
      if (begun || closed) return;
      begun = true;
      tell((session) => session.begin());
    },
    hear: (samples) => tell((session) => session.hear(samples)),
    speechStarted() {
      personSpeaks = true;
      tell((session) => session.speechStarted());
    },
    speechEnded(durationMs) {
      personSpeaks = false;
      tell((session) => session.speechEnded(durationMs));
    },
    said(text) {
      handover.heard(text);
      tell((session) => session.said(text));
    },
    keyed: (digit) => tell((session) => session.keyed(digit)),
    interrupted(utteranceId, playedMs) {
      promised.delete(utteranceId);
      open.delete(utteranceId);
      tellOf(utteranceId, (session, id) => session.interrupted(id, playedMs));
    },
    played: (utteranceId) => tellOf(utteranceId, (session, id) => session.played(id)),
    toolResult: (toolCallId: string, result: ToolResult) =>
      tellOf(toolCallId, (session, id) => session.toolResult(id, result)),
    say(text, utteranceId) {
      if (closed) return;
      promised.set(utteranceId, text);
      tell((session) => session.say(text, utteranceId));
    },
    close() {
      if (closed) return;
      closed = true;
      close(current?.session);
    },
  };
}

function close(session: EngineSession | undefined) {
  try {
    session?.close();
  } catch {
    // It is being given up in any case.
  }
}
