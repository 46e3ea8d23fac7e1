import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { previewVoice } from "./preview-voice.ts";

let app: TestService;
let key: string;
beforeAll(async () => {
  app = await startTestService({ environment: { PUBLIC_URL: "https://api.example.test/" } });
  ({ key } = await app.newOrganization({ scopes: ["voices:read"] }));
});
afterAll(() => app.close());

interface VoicePage {
  data: { id: string; preview_url: string }[];
  limit: number;
  offset: number;
}
const list = (query = "") => app.call<VoicePage>(`/v1/voices${query}`, { key });

async function preview(id: string): Promise<{ status: number; type: string | null; bytes: Buffer }> {
  const response = await fetch(`${app.publicUrl}/v1/voices/${id}/preview`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get("content-type"), bytes };
}

describe("GET /voices", () => {
  it("lists the catalog, with previews on the public host", async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toMatchObject({ limit: 50, offset: 0 });
    expect(body.data[0]).toEqual({
      id: "clara",
      name: "Clara",
      language: "en-US",
      gender: "female",
      description: expect.any(String),
      preview_url: "https://api.example.test/v1/voices/clara/preview",
    });
    for (const { id } of body.data) expect(id).toMatch(/^[a-z]{2,20}$/);
    expect(new Set(body.data.map(({ id }) => id)).size).toBe(body.data.length);
  });

  it("pages", async () => {
    const all = (await list()).body.data.map(({ id }) => id);
    const page = (await list("?limit=2&offset=1")).body;
    expect(page).toMatchObject({ limit: 2, offset: 1 });
    expect(page.data.map(({ id }) => id)).toEqual(all.slice(1, 3));
    expect((await list("?offset=100")).body.data).toEqual([]);
    expect((await list("?limit=999")).body.limit).toBe(200);
    expect((await list("?limit=0")).status).toBe(400);
  });
});

describe("GET /voices/{id}/preview", () => {
  it("answers some seconds of audio, different for each voice", async () => {
    const ids = (await list()).body.data.map(({ id }) => id);
    const previews = await Promise.all(ids.map(preview));
    for (const { status, type, bytes } of previews) {
      expect({ status, type }).toEqual({ status: 200, type: "audio/wav" });
      expect(bytes.toString("latin1", 0, 4)).toBe("RIFF");
      const seconds = bytes.readUInt32LE(40) / bytes.readUInt32LE(28);
      expect(seconds).toBeGreaterThan(4);
      expect(seconds).toBeLessThan(12);
    }
    expect(new Set(previews.map(({ bytes }) => bytes.length)).size).toBe(ids.length);
    expect((await preview(ids[0]!)).bytes).toEqual(previews[0]!.bytes);
  });

  it("answers 404 to a voice that doesn't exist", async () => {
    for (const id of ["nobody", "CLARA", "slt", "not-an-id", "..%2Fclara"]) {
      const { status, bytes } = await preview(id);
      expect(status).toBe(404);
      expect(JSON.parse(bytes.toString())).toMatchObject({ error: "not_found" });
    }
  });

  it("says when it couldn't be made, and not why", async () => {
    const speech = {
      synthesize: () => Promise.reject(new Error("the worker died at /secret/path")),
      close: async () => {},
    };
    const failed = previewVoice({ speech, logger: pino({ level: "silent" }) }, "clara");
    await expect(failed).rejects.toMatchObject({ code: "preview_failed" });
    await expect(failed).rejects.not.toThrow("secret");
  });
});
