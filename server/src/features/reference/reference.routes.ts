import type { Config } from "../../config.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { type ShippedFiles, shippedFiles } from "../../shipped-files.ts";
import { answerText } from "./answer-text.ts";
import { DOCS_POLICY, DOCS_START, docsPage } from "./docs-page.ts";
import { readDocument } from "./read-document.ts";
import { referenceScript } from "./reference-script.ts";

const NOT_MODIFIED = { description: "The client has it already (`If-None-Match`)" };

/** The contract, the guide and the reference page, for anybody. Served below the prefixes and at the root. */
export function referenceRoutes(
  deps: { config: Pick<Config, "public"> },
  files: ShippedFiles = shippedFiles,
): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  const publicUrl = deps.config.public.url;
  const script = referenceScript(files.referenceScript);
  const common = { method: "GET", tag: "Reference", access: "public" } as const;
  return [
    route({
      ...common,
      path: "/openapi.yaml",
      operationId: "readOpenApiDocument",
      summary: "This document",
      responses: {
        200: {
          description: "The OpenAPI document, with this service's address",
          mediaType: "application/yaml",
        },
        304: NOT_MODIFIED,
      },
      errors: ["spec_unavailable"],
      async handle({ headers }) {
        const text = await readDocument(files.openapi, publicUrl, "spec_unavailable");
        return answerText(headers, text, "application/yaml");
      },
    }),
    route({
      ...common,
      path: "/getting-started.md",
      operationId: "readGuide",
      summary: "The guide, from the first lead to the first verified webhook",
      responses: { 200: { description: "The guide", mediaType: "text/markdown" }, 304: NOT_MODIFIED },
      errors: ["guide_unavailable"],
      async handle({ headers }) {
        const text = await readDocument(files.guide, publicUrl, "guide_unavailable");
        return answerText(headers, text, "text/markdown; charset=utf-8");
      },
    }),
    route({
      ...common,
      path: "/sdk/voice.js",
      operationId: "readVoiceSdk",
      summary: "The browser SDK for voice",
      description:
        "A module that exports `connect({ connectUrl, accessToken })`. Loaded by a script element, which pages of other origins may do, it is a script with the same in the global `OutreachVoice`. The guide shows both.",
      responses: { 200: { description: "The script", mediaType: "text/javascript" }, 304: NOT_MODIFIED },
      errors: ["sdk_unavailable"],
      async handle({ headers }) {
        const file = isScriptElement(headers) ? files.voiceScript : files.voiceModule;
        const text = await readDocument(file, publicUrl, "sdk_unavailable");
        return answerText(headers, text, "text/javascript; charset=utf-8", { vary: "sec-fetch-mode" });
      },
    }),
    route({
      ...common,
      path: "/docs",
      operationId: "readDocsPage",
      summary: "The reference page",
      responses: { 200: { description: "The page", mediaType: "text/html" }, 304: NOT_MODIFIED },
      async handle({ headers }) {
        const policy = { "content-security-policy": DOCS_POLICY };
        return answerText(headers, docsPage(publicUrl), "text/html; charset=utf-8", policy);
      },
    }),
    route({
      ...common,
      path: "/docs/reference.js",
      operationId: "readDocsScript",
      summary: "The reference page's script",
      responses: { 200: { description: "The script", mediaType: "text/javascript" }, 304: NOT_MODIFIED },
      handle: ({ headers }) => script(headers),
    }),
    route({
      ...common,
      path: "/docs/start.js",
      operationId: "readDocsStart",
      summary: "What starts the reference page",
      responses: { 200: { description: "The script", mediaType: "text/javascript" }, 304: NOT_MODIFIED },
      async handle({ headers }) {
        return answerText(headers, DOCS_START, "text/javascript; charset=utf-8");
      },
    }),
  ];
}

/**
 * Browsers ask for a script element's file without CORS, and for a module with it. One file can't be both: an export is an
 * error in a script, and a module of another origin needs CORS, which this API answers for nothing but a call's connection.
 */
function isScriptElement(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  return headers["sec-fetch-mode"] === "no-cors";
}
