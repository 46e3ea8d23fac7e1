/**
 * What went wrong, for the page's code. The message is for a person, and says what they can do.
 *
 * - `unsupported`: no WebRTC here, or the page isn't secure (https: or localhost)
 * - `microphone_denied`: the person or their browser's settings refused it
 * - `microphone_missing`: there is none · `microphone_failed`: it can't be opened, another program may have it
 * - `invalid_session`: `connectUrl` or `accessToken` is missing or no address
 * - `token_refused`: the access token is wrong, was used, or is older than 60 seconds: start a new call
 * - `call_refused`: the service didn't take the offer · `call_over`: the call has ended already
 * - `service_unreachable`: no answer to the request, or one that says that it can't now
 * - `connection_failed`: no audio path could be made: a network that lets no UDP through
 * - `connection_lost`: it stood, and broke
 * - `playback_blocked`: the browser plays nothing before a click: call `resumeAudio()` in one. The call goes on.
 * - `canceled`: by the caller's `signal`
 */
export type VoiceErrorCode =
  | "unsupported"
  | "microphone_denied"
  | "microphone_missing"
  | "microphone_failed"
  | "invalid_session"
  | "token_refused"
  | "call_refused"
  | "call_over"
  | "service_unreachable"
  | "connection_failed"
  | "connection_lost"
  | "playback_blocked"
  | "canceled";

export class VoiceError extends Error {
  override readonly name = "VoiceError";
  readonly code: VoiceErrorCode;

  constructor(code: VoiceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
