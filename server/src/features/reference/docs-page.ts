/**
 * The reference page: a script from this service, an inline style or two that it makes, and nothing from anywhere else.
 * Framing stays forbidden, and what the page sends goes to this service only.
 */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The page's script makes style elements and attributes of its own.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * The page answers with and without a trailing slash and under three prefixes, so that no relative address is right in all of
 * them: its scripts are named from the root.
 * @param publicUrl may have a path, when a proxy serves the API below one
 */
export function docsPage(publicUrl: string): string {
  const root = new URL(publicUrl).pathname.replace(/\/+$/, "");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Outreach API</title>
    <link rel="icon" href="data:,">
    <script src="${root}/docs/reference.js" defer></script>
    <script src="${root}/docs/start.js" defer></script>
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The same is in <a href="${root}/openapi.yaml">openapi.yaml</a>, and the guide is in <a href="${root}/getting-started.md">getting-started.md</a>.</noscript>
  </body>
</html>
`;
}

/**
 * Starts the page. It tries requests out on the address that the page was opened at, which the document doesn't have to name:
 * any other would be another origin.
 */
export const DOCS_START = `const root = location.pathname.replace(/\\/docs\\/?$/, "").replace(/\\/(public\\/)?v1$/, "");
Scalar.createApiReference("#reference", {
  url: root + "/openapi.yaml",
  servers: [{ url: location.origin + root + "/v1", description: "This service" }],
  authentication: { preferredSecurityScheme: "apiKey" },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
});
`;
