import type { VoiceRequestSignals } from "./calls-deps.ts";

/**
 * Requests to voice processes and their answers, as notifications of the database. `onAsked` is for a process that runs
 * calls: something is asked of it, or of any.
 */
export function createVoiceSignals(notifications: {
  notify(channel: "voice_requests" | "voice_answers", payload: string): void;
  onNotification(channel: "voice_requests" | "voice_answers", listener: (payload: string) => void): void;
}): VoiceRequestSignals & { onAsked(processId: string, listener: () => void): void } {
  const waiting = new Map<string, () => void>();
  notifications.onNotification("voice_answers", (requestId) => waiting.get(requestId)?.());
  return {
    asked: (ownerId) => notifications.notify("voice_requests", ownerId ?? ""),
    answered: (requestId) => notifications.notify("voice_answers", requestId),
    onAnswer(requestId, listener) {
      waiting.set(requestId, listener);
      return () => void waiting.delete(requestId);
    },
    onAsked(processId, listener) {
      notifications.onNotification("voice_requests", (ownerId) => {
        if (ownerId === "" || ownerId === processId) listener();
      });
    },
  };
}
