import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Files that come with the service and are read while it runs. */
export interface ShippedFiles {
  openapi: string;
  privateOpenapi: string;
  guide: string;
  /** The browser SDK as a module, and as a script that makes the global `OutreachVoice`. */
  voiceModule: string;
  voiceScript: string;
  /** The demo page of the private port. */
  demoPage: string;
  demoStyle: string;
  demoScript: string;
  /** The script of the reference page. */
  referenceScript: string;
}

const require = createRequire(import.meta.url);

/** Where they are, seen from the sources as from the bundle: both are two levels below the repository. */
export const shippedFiles: ShippedFiles = {
  openapi: fileURLToPath(new URL("../../openapi/openapi.yaml", import.meta.url)),
  privateOpenapi: fileURLToPath(new URL("../../openapi/private.yaml", import.meta.url)),
  guide: fileURLToPath(new URL("../../docs/getting-started.md", import.meta.url)),
  voiceModule: fileURLToPath(new URL("../../sdk/voice/dist/voice.js", import.meta.url)),
  voiceScript: fileURLToPath(new URL("../../sdk/voice/dist/voice.global.js", import.meta.url)),
  demoPage: fileURLToPath(new URL("../../sdk/demo/demo.html", import.meta.url)),
  demoStyle: fileURLToPath(new URL("../../sdk/demo/demo.css", import.meta.url)),
  demoScript: fileURLToPath(new URL("../../sdk/demo/dist/demo.js", import.meta.url)),
  // Only found, never loaded: the page's script is a file beside the package's own code.
  referenceScript: join(dirname(require.resolve("@scalar/fastify-api-reference")), "js/standalone.js"),
};
