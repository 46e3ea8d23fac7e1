import { type Call, createCall } from "./call.ts";
import { openMicrophone } from "./microphone.ts";
import { postOffer } from "./post-offer.ts";
import { VoiceError } from "./voice-error.ts";

export interface ConnectOptions {
  /** `browser_session.connect_url` of the call. */
  connectUrl: string;
  /** `browser_session.access_token`: good for one connection, for 60 seconds. */
  accessToken: string;
  /** `browser_session.ice_servers`. */
  iceServers?: RTCIceServer[];
  /** Instead of the microphone. Stays open after the call. */
  mediaStream?: MediaStream;
  /** For the level meters, where the page has one. Stays open after the call. */
  audioContext?: AudioContext;
  /** Gives up when it is aborted before the call is connected. */
  signal?: AbortSignal;
}

const CONNECTS_WITHIN_MS = 15_000;

/**
 * Joins a browser call: asks for the microphone, connects, and plays the agent's voice. Best called from a click, without
 * which browsers play no sound.
 *
 * @returns once the connection stands
 * @throws VoiceError, with a message for the person
 */
export async function connect(options: ConnectOptions): Promise<Call> {
  const opened: (() => void)[] = [];
  const release = () => {
    for (const close of opened.splice(0).reverse()) close();
  };
  try {
    return await join(options, opened, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function join(
  { connectUrl, accessToken, iceServers, mediaStream, audioContext, signal }: ConnectOptions,
  opened: (() => void)[],
  release: () => void,
): Promise<Call> {
  if (typeof RTCPeerConnection !== "function" || !navigator.mediaDevices)
    throw new VoiceError(
      "unsupported",
      "This browser can't make calls here. The page must be opened by https: or on localhost, in a current browser.",
    );
  if (typeof connectUrl !== "string" || !URL.canParse(connectUrl, location.href) || !accessToken)
    throw new VoiceError(
      "invalid_session",
      "connectUrl and accessToken are those of the call's browser_session.",
    );

  const aborted = new AbortController();
  const cancel = () => aborted.abort(new VoiceError("canceled", "The call was canceled."));
  signal?.addEventListener("abort", cancel);
  opened.push(() => signal?.removeEventListener("abort", cancel));
  if (signal?.aborted) cancel();

  const microphone = mediaStream ?? (await openMicrophone());
  if (!mediaStream) {
    opened.push(() => {
      for (const track of microphone.getTracks()) track.stop();
    });
  }
  aborted.signal.throwIfAborted();

  const context = audioContext ?? new AudioContext();
  if (!audioContext) opened.push(() => void context.close());
  const connection = new RTCPeerConnection({ iceServers: iceServers ?? [], bundlePolicy: "max-bundle" });
  opened.push(() => connection.close());
  const channel = connection.createDataChannel("events");
  const [track] = microphone.getAudioTracks();
  if (!track) throw new VoiceError("microphone_missing", "The stream has no audio.");
  const { receiver } = connection.addTransceiver(track, { direction: "sendrecv", streams: [microphone] });
  const agent = new MediaStream([receiver.track]);
  // Chromium gives remote audio to analysers only while an element plays it.
  const audio = new Audio();
  audio.srcObject = agent;
  opened.push(() => {
    audio.pause();
    audio.srcObject = null;
  });

  await connection.setLocalDescription();
  // Without its candidates: the service answers checks, and sends none.
  const sdp = connection.localDescription?.sdp ?? "";
  const inbox: unknown[] = [];
  channel.addEventListener("message", ({ data }) => inbox.push(data));
  const isOpen = channelOpen(connection, channel, aborted.signal);
  isOpen.catch(() => {});
  const answer = await postOffer({ connectUrl, accessToken }, sdp, aborted.signal).catch((error: unknown) => {
    aborted.signal.throwIfAborted();
    throw error;
  });
  await connection.setRemoteDescription({ type: "answer", sdp: answer }).catch((cause: unknown) => {
    throw new VoiceError("call_refused", "The service's answer can't be read.", { cause });
  });
  await isOpen;

  return createCall({ connection, channel, inbox, microphone, agent, context, audio, release });
}

/** Resolves when messages can be sent, and audio flows. */
function channelOpen(
  connection: RTCPeerConnection,
  channel: RTCDataChannel,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      channel.removeEventListener("open", open);
      connection.removeEventListener("connectionstatechange", changed);
      signal.removeEventListener("abort", abort);
      settled();
    };
    const failed = () =>
      settle(() =>
        reject(
          new VoiceError(
            "connection_failed",
            "No audio connection could be made. The network may block it: try another one.",
          ),
        ),
      );
    const open = () => settle(resolve);
    const changed = () => {
      if (connection.connectionState === "failed") failed();
    };
    const abort = () => settle(() => reject(signal.reason));
    const timer = setTimeout(failed, CONNECTS_WITHIN_MS);
    channel.addEventListener("open", open);
    connection.addEventListener("connectionstatechange", changed);
    signal.addEventListener("abort", abort);
  });
}
