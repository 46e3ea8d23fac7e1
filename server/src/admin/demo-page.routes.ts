import { readFile } from "node:fs/promises";
import type { Config } from "../config.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { shippedFiles } from "../shipped-files.ts";

/**
 * A page on which one talks to an agent. It holds nothing: who opens it brings the operator token, in the fragment of the
 * address (which no browser sends) or typed in.
 */
export function demoPageRoutes(deps: { config: Pick<Config, "public"> }): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const file = (path: string, source: string, contentType: string, more: Record<string, string> = {}) =>
    route({
      method: "GET",
      path,
      operationId: `readDemo${path.replaceAll(/\W/g, "_")}`,
      tag: "Demo",
      summary: "The demo page",
      access: "public",
      responses: { 200: { description: "The file", mediaType: contentType } },
      async handle() {
        return {
          body: await readFile(source),
          contentType: `${contentType}; charset=utf-8`,
          headers: { "cache-control": "no-cache", ...more },
        };
      },
    });
  const policy = policyFor(new URL(deps.config.public.url).origin);
  return [
    file("/demo", shippedFiles.demoPage, "text/html", { "content-security-policy": policy }),
    file("/demo/demo.css", shippedFiles.demoStyle, "text/css"),
    file("/demo/demo.js", shippedFiles.demoScript, "text/javascript"),
  ];
}

/** Nothing from outside: the calls' connection and recordings are the public API's, which is another port of this service. */
function policyFor(publicOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src data:",
    `connect-src 'self' ${publicOrigin}`,
    `media-src ${publicOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
