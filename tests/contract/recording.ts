import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runRedocly, startRedocly } from "./redocly.ts";

export interface Recording {
  /** Where requests go to be recorded on their way to the service. */
  url: string;
  /** The recorded traffic, as HAR. Complete once stopped. */
  file: string;
  stop(): Promise<void>;
}

/** Puts Redocly's proxy in front of a service: a process of its own that writes down every request and its answer. */
export async function record(target: string, directory: string): Promise<Recording> {
  const file = join(directory, "traffic.har");
  const child = startRedocly("proxy", "--target", target, "--port", "0", "--har", file);
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`The proxy did not start: ${output}`)), 30_000);
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk;
        const [, address] = /Proxy listening on (\S+)/.exec(output) ?? [];
        if (!address) return;
        clearTimeout(late);
        resolve(address);
      });
    }
    child.once("exit", () => reject(new Error(`The proxy ended: ${output}`)));
  }).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  return {
    url,
    file,
    async stop() {
      const closed = once(child, "close");
      const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
      child.kill("SIGTERM");
      await closed;
      clearTimeout(late);
    },
  };
}

export interface Drift {
  exchanges: { total: number; documented: number; undocumented: number; skipped: number };
  /** What differs between the traffic and the document, one line each. */
  findings: string[];
}

/**
 * Compares recorded traffic with a document.
 * @param server the address below which the traffic is the document's
 */
export async function driftBetween(file: string, document: string, server: string): Promise<Drift> {
  const report = `${file}.drift.json`;
  const { output } = await runRedocly(
    "drift",
    file,
    "--api",
    document,
    "--server",
    server,
    "--format",
    "json",
    "--output",
    report,
    // Below a warning are only headers that a client sends of its own accord.
    "--min-severity",
    "warning",
  );
  const text = await readFile(report, "utf8").catch(() => {
    throw new Error(`There is no drift report: ${output}`);
  });
  const { run, problems } = JSON.parse(text) as {
    run: Record<string, number>;
    problems: Record<string, string>[];
  };
  return {
    exchanges: {
      total: run.totalExchanges!,
      documented: run.documentedExchanges!,
      undocumented: run.undocumentedExchanges!,
      skipped: run.skippedExchanges!,
    },
    findings: problems.map(
      ({ method, path, status, ruleId, message }) => `${method} ${path} ${status} [${ruleId}] ${message}`,
    ),
  };
}

interface HarEntry {
  request: { method: string; url: string };
  response: { status: number; content: { text?: string; mimeType: string; encoding?: string } };
}
type Response = { $ref?: string; "x-error-codes"?: string[]; content?: object };

/**
 * What drift doesn't look at: answers whose status, media type or error code their operation doesn't list; and which operations
 * were answered with a success.
 */
export async function answersIn(
  file: string,
  document: { paths: object; components: object },
  server: string,
): Promise<{ undocumented: string[]; succeeded: Set<string>; errors: Set<string> }> {
  const har = JSON.parse(await readFile(file, "utf8")) as { log: { entries: HarEntry[] } };
  const undocumented = new Set<string>();
  const succeeded = new Set<string>();
  const errors = new Set<string>();
  for (const { request, response } of har.log.entries) {
    const path = request.url.slice(server.length).split("?", 1)[0] || "/";
    const found = operationAt(document, request.method, path);
    const seen = `${request.method} ${path} ${response.status}`;
    if (!found) {
      undocumented.add(seen);
      continue;
    }
    const documented = resolve(document, found.operation.responses[response.status]);
    const media = response.content.mimeType.split(";", 1)[0]!;
    if (!documented) undocumented.add(seen);
    else if (documented.content && !Object.hasOwn(documented.content, media))
      undocumented.add(`${seen} ${media}`);
    if (response.status < 400) succeeded.add(found.title);
    else {
      const code = String(JSON.parse(response.content.text ?? "{}").error).split(":", 1)[0]!;
      errors.add(code);
      if (!documented?.["x-error-codes"]?.includes(code)) undocumented.add(`${seen} ${code}`);
    }
  }
  return { undocumented: [...undocumented], succeeded, errors };
}

function operationAt(document: { paths: object }, method: string, path: string) {
  type Item = Record<string, { responses: Record<string, Response> }>;
  const candidates = Object.entries(document.paths as Record<string, Item>)
    .filter(([template, item]) => {
      const pattern = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/]+");
      return item[method.toLowerCase()] && new RegExp(`^${pattern}$`).test(path);
    })
    // A path without a parameter goes before one with, and `{id}.ics` before `{id}`.
    .sort(([a], [b]) => a.split("{").length - b.split("{").length || b.length - a.length);
  const [best] = candidates;
  return best ? { title: `${method} ${best[0]}`, operation: best[1][method.toLowerCase()]! } : null;
}

function resolve(document: { components: object }, response: Response | undefined): Response | undefined {
  if (response?.$ref === undefined) return response;
  const { responses } = document.components as { responses: Record<string, Response> };
  return responses[response.$ref.split("/").at(-1)!];
}
