import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { isUuid } from "../../ids.ts";
import { InvalidOffer } from "../../voice/session/voice-plane.ts";
import { hashAccessToken, organizationOf } from "./access-token.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";

const unauthenticated = () =>
  new DomainError("unauthenticated", "The access token is wrong, has been used, or has expired.");

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

/**
 * Connects a browser with its call, once. An offer that can't be answered leaves the token good for another.
 * @param offer SDP
 * @returns the answer's SDP
 * @throws DomainError unauthenticated, invalid_request, voice_provider_unavailable
 */
export async function connectBrowser(
  deps: Pick<CallsDeps, "database" | "clock" | "voice" | "logger">,
  callId: string,
  token: string,
  offer: string,
): Promise<string> {
  const id = callId.toLowerCase();
  const values = [organizationOf(token)!, id, hashAccessToken(token)];
  const used = await deps.database.query({
    ...sql.useToken,
    values: [...values, timestamp(deps.clock.now())],
  });
  if (used.length === 0) throw unauthenticated();
  const returnToken = () => deps.database.query({ ...sql.returnToken, values });
  const call = deps.voice?.plane.findBrowserCall(id);
  if (!call) {
    await returnToken();
    throw new DomainError("voice_provider_unavailable", "The call runs in another process. Try again.");
  }
  try {
    return await call.connect(offer);
  } catch (error) {
    if (!(error instanceof InvalidOffer)) throw error;
    await returnToken();
    throw new DomainError("invalid_request", error.message);
  }
}
