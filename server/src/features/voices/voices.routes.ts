import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { pageFrom } from "../../http/schema.ts";
import type { Speech } from "../../voice/speech/index.ts";
import { listVoices } from "./list-voices.ts";
import { previewVoice } from "./preview-voice.ts";
import { VoiceListQuery, VoicePage, VoiceParams } from "./voices.schema.ts";

export interface VoicesDeps {
  config: Pick<Config, "public">;
  logger: Logger;
  speech: Speech;
}

export function voicesRoutes(deps: VoicesDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  return [
    route({
      method: "GET",
      path: "/voices",
      operationId: "listVoices",
      tag: "Voices",
      summary: "List the voices, the default one first",
      description: "The ids stay the same whatever speaks: a template keeps its voice.",
      access: "voices:read",
      query: VoiceListQuery,
      responses: { 200: { description: "A page of voices", schema: VoicePage } },
      async handle({ query }) {
        const page = pageFrom(query);
        return { body: { data: listVoices(deps.config.public.url, page), ...page } };
      },
    }),
    route({
      method: "GET",
      path: "/voices/:id/preview",
      operationId: "previewVoice",
      tag: "Voices",
      summary: "Listen to a voice",
      description: "A sample of some seconds, the same text in every voice.",
      access: "voices:read",
      params: VoiceParams,
      responses: { 200: { description: "The sample", mediaType: "audio/wav" } },
      errors: ["preview_failed"],
      async handle({ params }) {
        return {
          body: await previewVoice(deps, params.id),
          contentType: "audio/wav",
          headers: { "cache-control": "private, max-age=86400" },
        };
      },
    }),
  ];
}
