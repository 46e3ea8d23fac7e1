import { randomUUID } from "node:crypto";
import { SAMPLE_RATE } from "../../media/media-leg.ts";
import { wavFile } from "../../speech/wav.ts";
import { askModel, type ModelAsk, ModelTrouble } from "./model-request.ts";

const LARGEST_ANSWER_BYTES = 256 * 1024;

/**
 * Speech to text: `POST /audio/transcriptions` with a WAV.
 * @param samples 8 kHz, mono
 * @throws ModelTrouble
 */
export async function transcribe(
  samples: Int16Array,
  ask: Pick<ModelAsk, "server" | "dispatcher" | "withinMs" | "signal">,
): Promise<string> {
  const boundary = `outreach-${randomUUID()}`;
  const field = (name: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const { body } = await askModel({
    ...ask,
    path: "/audio/transcriptions",
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(
        `${field("model", ask.server.model)}${field("response_format", "json")}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="speech.wav"\r\ncontent-type: audio/wav\r\n\r\n`,
      ),
      wavFile(samples, SAMPLE_RATE),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  });
  let answer = "";
  for await (const part of body) {
    answer += String(part);
    if (answer.length > LARGEST_ANSWER_BYTES)
      throw new ModelTrouble("garbage", "a transcription was too long");
  }
  try {
    const { text } = JSON.parse(answer) as { text?: unknown };
    if (typeof text === "string") return text.trim();
  } catch {
    // Said below.
  }
  throw new ModelTrouble("garbage", "a transcription couldn't be read");
}
