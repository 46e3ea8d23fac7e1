/** What a key says. */
export interface RecordingName {
  organizationId: string;
  callId: string;
}

const KEY =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/\d{4}-\d{2}\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.wav$/;

/** @param at milliseconds since the epoch: when the recording begins */
export function recordingKey({ organizationId, callId }: RecordingName, at: number): string {
  return `${organizationId}/${new Date(at).toISOString().slice(0, 7)}/${callId}.wav`;
}

/** Null for what isn't a recording's key: nothing else may become a path, and nothing else is ours to remove. */
export function readRecordingKey(key: string): RecordingName | null {
  const [, organizationId, callId] = KEY.exec(key) ?? [];
  return organizationId && callId ? { organizationId, callId } : null;
}
