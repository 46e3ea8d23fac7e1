import { InvalidOffer } from "../session/voice-plane.ts";

/** Far more than any browser sends for one audio stream and a data channel. */
const MAX_OFFER_CHARACTERS = 32_768;
const MAX_MEDIA = 8;

const AUDIO_PROFILES = new Set(["UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "RTP/SAVPF"]);
const DATA_PROFILES = new Set(["UDP/DTLS/SCTP", "DTLS/SCTP", "TCP/DTLS/SCTP"]);
/** G.711 has payload types of its own (RFC 3551), which need no rtpmap. */
const STATIC_TYPES: Readonly<Record<string, string>> = { "0": "PCMU/8000", "8": "PCMA/8000" };

interface MediaSection {
  kind: string;
  port: string;
  profile: string;
  formats: string[];
  lines: string[];
}

/**
 * Looks an offer through before the WebRTC library sees it, and takes out what the service has no use for: candidates. It
 * answers checks and sends none (ICE lite), so that no offer can make it send packets to an address of the offer's choice
 * or look up a name.
 *
 * @returns the offer for the library
 * @throws InvalidOffer in words for the developer of the page
 */
export function readOffer(offerSdp: string): string {
  if (offerSdp.length > MAX_OFFER_CHARACTERS) {
    throw new InvalidOffer(`The offer is longer than ${MAX_OFFER_CHARACTERS} characters.`);
  }
  const lines = offerSdp.split(/\r\n|\r|\n/).filter((line) => line !== "");
  if (lines[0] !== "v=0" || lines.some((line) => !/^[a-z]=[^\0]*$/.test(line))) {
    throw new InvalidOffer(
      "The offer is not SDP: its first line is `v=0`, every other one `<letter>=<text>`.",
    );
  }
  const firstMedia = lines.findIndex((line) => line.startsWith("m="));
  const session = lines.slice(0, firstMedia === -1 ? lines.length : firstMedia);
  const media = mediaSections(lines.slice(session.length));
  if (media.length > MAX_MEDIA) {
    throw new InvalidOffer(
      `The offer has ${media.length} media; a call needs one audio and one data channel.`,
    );
  }
  const live = media.filter(({ port }) => port !== "0");
  const audio = live.filter(({ kind }) => kind === "audio");
  if (audio.length !== 1) {
    throw new InvalidOffer(
      audio.length === 0
        ? "The offer has no audio: add the microphone's track before the offer is made."
        : "The offer has more than one audio: a call has one.",
    );
  }
  if (live.filter(({ kind }) => kind === "application").length > 1) {
    throw new InvalidOffer("The offer has more than one medium for data channels.");
  }
  checkAudio(audio[0]!);
  for (const section of live) checkTransport(session, section);
  const kept = [...session, ...media.flatMap((section) => section.lines)].filter(isKept);
  return `${kept.map((line) => (line === "a=setup:actpass" ? "a=setup:active" : line)).join("\r\n")}\r\n`;
}

function mediaSections(lines: readonly string[]): MediaSection[] {
  const sections: MediaSection[] = [];
  for (const line of lines) {
    if (!line.startsWith("m=")) {
      sections.at(-1)!.lines.push(line);
      continue;
    }
    const [, kind, port, profile, formats] = /^m=(\S+) (\d{1,5}) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === undefined || port === undefined || profile === undefined || formats === undefined) {
      throw new InvalidOffer("A line that begins with `m=` can't be read.");
    }
    sections.push({ kind, port, profile, formats: formats.split(" "), lines: [line] });
  }
  return sections;
}

function checkAudio({ profile, formats, lines }: MediaSection): void {
  if (!AUDIO_PROFILES.has(profile)) {
    throw new InvalidOffer("The offer's audio isn't encrypted the way of WebRTC (UDP/TLS/RTP/SAVPF).");
  }
  const codecs = formats.map((format) => {
    const map = lines.find((line) => line.startsWith(`a=rtpmap:${format} `));
    return (map?.slice(map.indexOf(" ") + 1) ?? STATIC_TYPES[format] ?? "").toUpperCase();
  });
  if (!codecs.some((codec) => /^PCM[UA]\/8000(\/1)?$/.test(codec))) {
    throw new InvalidOffer(
      "The offer's audio has no codec in common with the service: it takes PCMU and PCMA.",
    );
  }
  if (lines.includes("a=inactive")) throw new InvalidOffer("The offer's audio is inactive.");
}

function checkTransport(session: readonly string[], { kind, profile, lines }: MediaSection): void {
  if (kind === "application" && !DATA_PROFILES.has(profile)) {
    throw new InvalidOffer(
      "The offer's data channel isn't one of WebRTC (UDP/DTLS/SCTP webrtc-datachannel).",
    );
  }
  const attribute = (pattern: RegExp) => [...lines, ...session].some((line) => pattern.test(line));
  if (!attribute(/^a=ice-ufrag:[A-Za-z0-9+/]{4,256}$/) || !attribute(/^a=ice-pwd:[A-Za-z0-9+/]{22,256}$/)) {
    throw new InvalidOffer("The offer has no ICE credentials (a=ice-ufrag, a=ice-pwd).");
  }
  if (!attribute(/^a=fingerprint:sha-(1|224|256|384|512) [0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){19,63}$/i)) {
    throw new InvalidOffer("The offer has no fingerprint of a certificate (a=fingerprint).");
  }
}

function isKept(line: string): boolean {
  return !line.startsWith("a=candidate:") && !line.startsWith("a=end-of-candidates");
}
