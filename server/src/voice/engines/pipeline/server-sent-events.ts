import { ModelTrouble } from "./model-request.ts";

const LONGEST_LINE = 256 * 1024;

/** The `data` of each event of a stream. @throws ModelTrouble when it can't be one */
export async function* serverSentEvents(body: AsyncIterable<unknown>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of body) {
    rest += typeof part === "string" ? part : decoder.decode(part as Uint8Array, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > LONGEST_LINE) throw new ModelTrouble("garbage", "a model server's answer has no lines");
    for (const line of lines) {
      if (line.startsWith("data:")) yield line.slice(5).trim();
    }
  }
  if (rest.startsWith("data:")) yield rest.slice(5).trim();
}
