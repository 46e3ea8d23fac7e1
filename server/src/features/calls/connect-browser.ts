import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { isUuid } from "../../ids.ts";
import { InvalidOffer, type VoicePlane } from "../../voice/session/voice-plane.ts";
import { hashAccessToken, organizationOf } from "./access-token.ts";
import { askVoice, VoiceUnreached } from "./ask-voice.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";

/** Real time: a page waits. */
const ANSWERED_WITHIN_MS = 10_000;

const unauthenticated = () =>
  new DomainError("unauthenticated", "The access token is wrong, has been used, or has expired.");

const notReached = () =>
  new DomainError("voice_provider_unavailable", "The process that runs the call doesn't answer.");

/** @throws DomainError unauthenticated for a token that can't open a connection of this call any more */
export async function checkAccessToken(
  deps: Pick<CallsDeps, "database" | "clock">,
  callId: string,
  token: string,
): Promise<void> {
  const organizationId = organizationOf(token);
  if (organizationId === null || !isUuid(callId)) throw unauthenticated();
  const found = await deps.database.query({
    ...sql.findToken,
    values: [organizationId, callId, hashAccessToken(token), timestamp(deps.clock.now())],
  });
  if (found.length === 0) throw unauthenticated();
}

/** A page's offer for its call. */
export interface PageOffer {
  organizationId: string;
  callId: string;
  tokenHash: Buffer;
  /** SDP */
  offer: string;
}

/** What a page's offer is handed on with, to the process that runs the call. */
export interface HandedOffer {
  /** Hexadecimal */
  tokenHash: string;
  offer: string;
}

/**
 * Connects a browser with its call, once, wherever that runs. An offer that can't be answered leaves the token good for
 * another.
 * @param offer SDP
 * @returns the answer's SDP
 * @throws DomainError unauthenticated, invalid_request, voice_provider_unavailable
 */
export async function connectBrowser(
  deps: CallsDeps,
  callId: string,
  token: string,
  offer: string,
): Promise<string> {
  const id = callId.toLowerCase();
  const page = {
    organizationId: organizationOf(token)!,
    callId: id,
    tokenHash: hashAccessToken(token),
    offer,
  };
  const { organizationId } = page;
  if (deps.voice?.plane.findBrowserCall(id)) return connectHere(deps, deps.voice.plane, page);
  const [owner] = await deps.database.query<{ owner_id: string }>({
    ...sql.readOwner,
    values: [organizationId, id],
  });
  if (!owner) throw unauthenticated();
  const payload: HandedOffer = { tokenHash: page.tokenHash.toString("hex"), offer };
  try {
    return (await askVoice(deps, {
      organizationId,
      kind: "connect",
      ownerId: owner.owner_id,
      callId: id,
      payload,
      answerWithinMs: ANSWERED_WITHIN_MS,
    })) as string;
  } catch (error) {
    if (!(error instanceof VoiceUnreached)) throw error;
    throw notReached();
  }
}

/**
 * Connects a browser with a call of this process.
 * @returns the answer's SDP
 * @throws DomainError unauthenticated, invalid_request, voice_provider_unavailable when the call isn't here
 */
export async function connectHere(
  deps: Pick<CallsDeps, "database" | "clock">,
  plane: VoicePlane,
  { organizationId, callId, tokenHash, offer }: PageOffer,
): Promise<string> {
  const call = plane.findBrowserCall(callId);
  if (!call) throw notReached();
  const values = [organizationId, callId, tokenHash];
  const used = await deps.database.query({
    ...sql.useToken,
    values: [...values, timestamp(deps.clock.now())],
  });
  if (used.length === 0) throw unauthenticated();
  try {
    return await call.connect(offer);
  } catch (error) {
    if (!(error instanceof InvalidOffer)) throw error;
    await deps.database.query({ ...sql.returnToken, values });
    throw new DomainError("invalid_request", error.message);
  }
}
