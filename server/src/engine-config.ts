import { voiceCatalog } from "./voice/speech/catalog.ts";

/** An engine as the environment asks for it. URLs have no user and no key in them. */
export type EngineConfig =
  | { name: "scripted" }
  | {
      name: "realtime";
      url: string;
      apiKey: string | null;
      model: string;
      transcriptionModel: string;
      voices: Readonly<Record<string, string>>;
    }
  | {
      name: "pipeline";
      stt: ModelServer;
      llm: ModelServer;
      /** null: the embedded voices. */
      tts: (ModelServer & { voices: Readonly<Record<string, string>> }) | null;
    };

export interface ModelServer {
  /** Without a slash at its end: `https://api.openai.com/v1`. */
  url: string;
  apiKey: string | null;
  model: string;
}

interface Reader {
  text: (name: string) => string | null;
  address: (name: string, protocols: readonly string[]) => string | null;
  problems: string[];
}

const ENGINES = ["scripted", "realtime", "pipeline"] as const;
const TRANSCRIPTION_MODEL = "gpt-4o-mini-transcribe";
/** OpenAI's voices that come nearest to the catalog's. */
const REALTIME_VOICES = { clara: "marin", marcus: "cedar", angus: "ballad", otto: "echo" };
const TTS_VOICES = { clara: "nova", marcus: "onyx", angus: "fable", otto: "echo" };

/** Reads `VOICE_ENGINE`, engines in the order in which they are tried, and what each of them needs. */
export function readEngines(reader: Reader): [EngineConfig, ...EngineConfig[]] {
  const { text, problems } = reader;
  const names = (text("VOICE_ENGINE") ?? ENGINES[0]).split(",").map((name) => name.trim());
  const engines: EngineConfig[] = [];
  for (const given of new Set(names)) {
    const name = ENGINES.find((known) => known === given);
    if (name === undefined)
      problems.push(`VOICE_ENGINE must be one or more of ${ENGINES.join(", ")}, but has "${given}".`);
    else if (name === "scripted") engines.push({ name });
    else if (name === "realtime") engines.push(readRealtime(reader));
    else engines.push(readPipeline(reader));
  }
  const [first = { name: ENGINES[0] }, ...others] = engines;
  return [first, ...others];
}

function readRealtime(reader: Reader): EngineConfig {
  const { text } = reader;
  return {
    name: "realtime",
    ...readServer(reader, "REALTIME", ["wss:", "ws:"]),
    transcriptionModel: text("REALTIME_TRANSCRIPTION_MODEL") ?? TRANSCRIPTION_MODEL,
    voices: { ...REALTIME_VOICES, ...readVoices(reader, "REALTIME_VOICES") },
  };
}

function readPipeline(reader: Reader): EngineConfig {
  const http = ["https:", "http:"] as const;
  const isSpoken = ["TTS_URL", "TTS_MODEL", "TTS_API_KEY", "TTS_VOICES"].some(
    (name) => reader.text(name) !== null,
  );
  return {
    name: "pipeline",
    stt: readServer(reader, "STT", http),
    llm: readServer(reader, "LLM", http),
    tts: isSpoken
      ? {
          ...readServer(reader, "TTS", http),
          voices: { ...TTS_VOICES, ...readVoices(reader, "TTS_VOICES") },
        }
      : null,
  };
}

function readServer(
  { text, address, problems }: Reader,
  prefix: string,
  protocols: readonly string[],
): ModelServer {
  for (const name of [`${prefix}_URL`, `${prefix}_MODEL`])
    if (text(name) === null) problems.push(`${name} is needed for this VOICE_ENGINE.`);
  const url = address(`${prefix}_URL`, protocols);
  if (url !== null) {
    const { username, password, hash } = new URL(url);
    // The value may hold a password: it is not repeated.
    if (username !== "" || password !== "" || hash !== "")
      problems.push(
        `${prefix}_URL must be an address without user or fragment; the key goes to ${prefix}_API_KEY.`,
      );
  }
  const apiKey = text(`${prefix}_API_KEY`);
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey))
    problems.push(`${prefix}_API_KEY must be printable characters without spaces.`);
  return { url: (url ?? "").replace(/\/+$/, ""), apiKey, model: text(`${prefix}_MODEL`) ?? "" };
}

/** `clara=alloy,otto=echo` */
function readVoices({ text, problems }: Reader, name: string): Record<string, string> {
  const voices: Record<string, string> = {};
  for (const entry of text(name)?.split(",") ?? []) {
    const [, id = "", own = ""] = /^\s*([a-z]+)\s*=\s*(\S+)\s*$/.exec(entry) ?? [];
    if (voiceCatalog.some((voice) => voice.id === id)) voices[id] = own;
    else
      problems.push(
        `${name} must be pairs such as clara=NAME separated by commas, for voices of the catalog (${voiceCatalog.map((voice) => voice.id).join(", ")}).`,
      );
  }
  return voices;
}
