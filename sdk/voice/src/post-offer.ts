import { VoiceError } from "./voice-error.ts";

/** Exchanges the offer for the service's answer. @throws VoiceError */
export async function postOffer(
  { connectUrl, accessToken }: { connectUrl: string; accessToken: string },
  sdp: string,
  signal: AbortSignal,
): Promise<string> {
  let response: Response;
  let body: { sdp?: unknown; message?: unknown };
  try {
    response = await fetch(connectUrl, {
      method: "POST",
      headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
      body: JSON.stringify({ sdp, type: "offer" }),
      credentials: "omit",
      signal,
    });
    body = await response.json().catch(() => ({}));
  } catch (cause) {
    throw new VoiceError(
      "service_unreachable",
      "The service can't be reached. Check the network connection, then try again.",
      { cause },
    );
  }
  if (response.ok && typeof body.sdp === "string") return body.sdp;
  const said = typeof body.message === "string" ? body.message : `The service answered ${response.status}.`;
  if (response.status === 401)
    throw new VoiceError("token_refused", "This call can't be joined any more. Start a new one.", {
      cause: said,
    });
  if (response.status === 404 || response.status === 409 || response.status === 410)
    throw new VoiceError("call_over", "The call is over. Start a new one.", { cause: said });
  if (response.status >= 500 || response.status === 429 || response.ok)
    throw new VoiceError("service_unreachable", "The service can't take the call now. Try again soon.", {
      cause: said,
    });
  throw new VoiceError("call_refused", said);
}
