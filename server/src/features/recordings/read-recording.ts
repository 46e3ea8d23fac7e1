import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { isUuid } from "../../ids.ts";
import type { RecordingName } from "./recording-key.ts";
import { isSignature } from "./recording-link.ts";
import type { RecordingStore } from "./recording-store.ts";
import * as sql from "./recordings.sql.ts";

export interface RecordingRequest extends RecordingName {
  expires: string | undefined;
  signature: string | undefined;
}

/**
 * Finds the recording that a link names. What is wrong with a link isn't told: whoever made it up learns nothing of which
 * organizations and calls there are.
 * @returns where the store keeps it, and its size in bytes
 * @throws DomainError unauthenticated (not signed by us, altered, or expired), recording_not_available
 */
export async function findRecording(
  deps: { database: Database; clock: Clock; recordings: RecordingStore },
  { organizationId, callId, expires = "", signature = "" }: RecordingRequest,
): Promise<{ key: string; size: number }> {
  const refuse = (): never => {
    throw new DomainError(
      "unauthenticated",
      "The link isn't good, or has expired: get a new one from GET /calls/{id}/recording.",
    );
  };
  const isCurrent = /^\d{1,12}$/.test(expires) && Number(expires) * 1000 > deps.clock.now();
  if (!isCurrent || !isUuid(organizationId) || !isUuid(callId)) return refuse();
  const [found] = await deps.database.query<{ link_secret: Buffer; recording_key: string | null }>({
    ...sql.readForRequest,
    values: [organizationId, callId],
  });
  if (!found || !isSignature(found.link_secret, { organizationId, callId }, expires, signature))
    return refuse();
  const size = found.recording_key === null ? null : await deps.recordings.size(found.recording_key);
  if (found.recording_key === null || size === null) throw notAvailable();
  return { key: found.recording_key, size };
}

export function notAvailable(): DomainError {
  return new DomainError("recording_not_available", "The recording isn't there any more.");
}
