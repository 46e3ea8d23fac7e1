import type { Page } from "../../http/schema.ts";
import { voiceCatalog } from "../../voice/speech/index.ts";
import type { Voice } from "./voices.schema.ts";

/** @param publicUrl where the public API is reached, without a trailing slash */
export function listVoices(publicUrl: string, { limit, offset }: Page): Voice[] {
  return voiceCatalog
    .slice(offset, offset + limit)
    .map((voice) => ({ ...voice, preview_url: `${publicUrl}/v1/voices/${voice.id}/preview` }));
}
