import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiDocument, apiDocuments } from "../../server/src/api-documents/index.ts";
import { systemClock } from "../../server/src/clock.ts";
import { type FakeVoicePlane, fakeVoicePlane } from "../../server/src/testing/fake-voice-plane.ts";
import { OPERATOR_TOKEN, startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { startWebhookSink, type WebhookSink } from "../../server/src/testing/webhook-sink.ts";
import { callsTo, privatePass, publicPass, titleOf } from "./passes.ts";
import { answersIn, driftBetween, type Recording, record } from "./recording.ts";
import { carrierEnvironment } from "./signed-texts.ts";

/**
 * Every endpoint is called, well and badly, through a proxy of Redocly's that writes down what goes over the wire; then its
 * drift command and a check of our own compare that with the documents.
 */

let app: TestService;
let plane: FakeVoicePlane;
let sink: WebhookSink;
let directory: string;
let publicOne: ApiDocument;
let privateOne: ApiDocument;
beforeAll(async () => {
  [publicOne, privateOne] = apiDocuments() as [ApiDocument, ApiDocument];
  plane = fakeVoicePlane(systemClock());
  app = await startTestService({
    environment: { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1", ...carrierEnvironment },
    service: { voice: { plane, drainMs: 0 } },
  });
  sink = await startWebhookSink();
  directory = await mkdtemp(join(tmpdir(), "outreach-drift-"));
});
afterAll(async () => {
  await app.close();
  await sink.close();
  await rm(directory, { recursive: true, force: true });
});

async function recorded(
  target: string,
  name: string,
  pass: (recording: Recording) => Promise<void>,
): Promise<Recording> {
  const recording = await record(target, await mkdtemp(join(directory, name)));
  try {
    await pass(recording);
  } finally {
    await recording.stop();
  }
  return recording;
}

/** The document in a file of its own, changed where it is told to be. */
async function copyOf(one: ApiDocument, change: (text: string) => string = (text) => text): Promise<string> {
  const file = join(await mkdtemp(join(directory, "document-")), "openapi.yaml");
  const text = change(one.text);
  await writeFile(file, text);
  return file;
}

async function expectNoDrift(recording: Recording, one: ApiDocument, server: string): Promise<Set<string>> {
  const { exchanges, findings } = await driftBetween(recording.file, await copyOf(one), server);
  expect(findings).toEqual([]);
  expect(exchanges).toMatchObject({ undocumented: 0, skipped: 0 });
  expect(exchanges.documented).toBeGreaterThan(one.operations);
  const { undocumented, succeeded, errors } = await answersIn(recording.file, one.document as never, server);
  expect(undocumented).toEqual([]);
  expect(errors.size).toBeGreaterThan(5);
  return succeeded;
}

describe("the public API", { timeout: 180_000 }, () => {
  let recording: Recording;
  let server: string;
  beforeAll(async () => {
    server = `${app.publicUrl}/v1`;
    const { organizationId, key } = await app.newOrganization();
    recording = await recorded(app.publicUrl, "public-", ({ url }) =>
      publicPass(app, plane, callsTo(`${url}/v1`, key), organizationId),
    );
  }, 120_000);

  it("answers every operation as its document says", async () => {
    const succeeded = await expectNoDrift(recording, publicOne, server);
    const available = app.service.routes.public.filter(({ unavailable }) => !unavailable).map(titleOf);
    expect([...succeeded].sort()).toEqual(available.sort());
  });

  it("would drift from a document with a wrong type, a missing path or a field too many", async () => {
    const defects: Record<string, (text: string) => string> = {
      "must be integer": (text) => text.replace(/(full_name:\n\s+)type: string/, "$1type: integer"),
      "Undocumented endpoint": (text) => text.replace("\n  /account:\n", "\n  /accounts:\n"),
      "missing required field": (text) => text.replace("- full_name\n", "- full_name\n        - age\n"),
    };
    for (const [finding, change] of Object.entries(defects)) {
      const file = await copyOf(publicOne, change);
      const { findings } = await driftBetween(recording.file, file, server);
      expect(findings.join("\n")).toContain(finding);
    }
  });

  it("would be seen to answer what its document doesn't list", async () => {
    const document = structuredClone(publicOne.document) as never as {
      paths: Record<string, Record<string, { responses: Record<string, { "x-error-codes": string[] }> }>>;
      components: object;
    };
    delete document.paths["/leads/{id}"]!.get!.responses["404"];
    document.paths["/leads"]!.post!.responses["400"]!["x-error-codes"] = ["invalid_json"];
    const { undocumented } = await answersIn(recording.file, document, server);
    expect(undocumented.some((answer) => /^GET \/leads\/[-0-9a-f]{36} 404$/.test(answer))).toBe(true);
    expect(undocumented).toContain("POST /leads 400 unknown_field");
  });
});

describe("the private API", { timeout: 180_000 }, () => {
  it("answers every operation as its document says", async () => {
    const server = `${app.adminUrl}/private/v1`;
    const recording = await recorded(app.adminUrl, "private-", ({ url }) =>
      privatePass(app, plane, callsTo(`${url}/private/v1`, OPERATOR_TOKEN), sink.url("/")),
    );
    const succeeded = await expectNoDrift(recording, privateOne, server);
    expect([...succeeded].sort()).toEqual(app.service.routes.private.map(titleOf).sort());
  });
});
