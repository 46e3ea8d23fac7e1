import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { insertTestCall } from "../../testing/test-call.ts";
import { fileRecordingStore } from "./file-store.ts";
import { recordingKey } from "./recording-key.ts";
import { recordingLink } from "./recording-link.ts";

const SECONDS = 3;
const SIZE = 58 + SECONDS * 16_000;
const MINUTE = 60_000;
const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";

describe("signed links to recordings", () => {
  const clock = manualClock();
  let app: TestService;
  let organizationId: string;
  let recorded: string;
  let store: ReturnType<typeof fileRecordingStore>;
  beforeAll(async () => {
    app = await startTestService({ clock });
    ({ organizationId } = await app.newOrganization());
    store = fileRecordingStore({ directory: join(app.config.dataDir, "recordings"), onError() {} });
    recorded = await newCall();
  });
  afterAll(() => app.close());

  async function newCall({ withFile = true, bytes = SIZE as number | null } = {}): Promise<string> {
    const callId = await insertTestCall(app, { organizationId });
    const key = recordingKey({ organizationId, callId }, clock.now());
    await app.database.query({
      text: "UPDATE calls SET recording_key = $3, recording_bytes = $4 WHERE organization_id = $1 AND id = $2",
      values: [organizationId, callId, key, bytes],
    });
    if (!withFile) return callId;
    const sink = await store.create(key);
    for (let at = 0; at < SECONDS * 50; at++)
      sink.write(new Int16Array(160).fill(at * 10), new Int16Array(160).fill(-at * 10));
    expect(await sink.finish()).toBe(SIZE);
    return callId;
  }
  /** A link's path and query: the service under test has ports of its own. */
  const linkOf = async (callId: string) => {
    const url = new URL(await recordingLink({ ...app, config: app.config }, { organizationId, callId }));
    return url.pathname + url.search;
  };
  const play = (path: string, headers: Record<string, string> = {}) =>
    fetch(app.publicUrl + path, { headers, redirect: "manual" });
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  it("play the whole recording without a key, also under the alias", async () => {
    const path = await linkOf(recorded);
    const response = await play(path);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "audio/wav",
      "content-length": String(SIZE),
      "accept-ranges": "bytes",
      "cache-control": "private, no-store",
      "content-disposition": `inline; filename="call-${recorded}.wav"`,
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const wav = await bytesOf(response);
    expect(wav).toHaveLength(SIZE);
    expect(wav.toString("latin1", 0, 4)).toBe("RIFF");
    expect(wav.readUInt32LE(54)).toBe(SIZE - 58);
    expect(await bytesOf(await play(`/public${path}`))).toEqual(wav);
  });

  it("are absolute, below the service's address, and name the public API", async () => {
    const link = await recordingLink({ ...app, config: app.config }, { organizationId, callId: recorded });
    expect(link).toMatch(
      new RegExp(`^${app.config.public.url}/v1/recordings/${organizationId}/${recorded}\\.wav\\?expires=`),
    );
  });

  it.each([
    ["bytes=0-0", 0, 0],
    ["bytes=0-", 0, SIZE - 1],
    ["bytes=100-199", 100, 199],
    ["bytes=-100", SIZE - 100, SIZE - 1],
    [`bytes=${SIZE - 1}-${SIZE + 10}`, SIZE - 1, SIZE - 1],
  ])("answer %s with that part", async (range, first, last) => {
    const path = await linkOf(recorded);
    const whole = await bytesOf(await play(path));
    const response = await play(path, { range });
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(`bytes ${first}-${last}/${SIZE}`);
    expect(response.headers.get("content-length")).toBe(String(last - first + 1));
    expect(await bytesOf(response)).toEqual(whole.subarray(first, last + 1));
  });

  it("refuse a part behind the end, with the size", async () => {
    for (const range of [`bytes=${SIZE}-`, "bytes=-0"]) {
      const response = await play(await linkOf(recorded), { range });
      expect(response.status).toBe(416);
      expect(response.headers.get("content-range")).toBe(`bytes */${SIZE}`);
      expect(await response.json()).toMatchObject({ error: "range_not_satisfiable", size: SIZE });
    }
  });

  it("answer with the whole to ranges that can't be read, and to another recording's", async () => {
    const path = await linkOf(recorded);
    for (const headers of [
      { range: "bytes=0-9,20-29" },
      { range: "lines=1-2" },
      { range: "bytes=9-0" },
      { range: "bytes=0-9", "if-range": '"another"' },
      { range: "bytes=0-9", "if-range": "Sat, 21 Nov 2026 10:00:00 GMT" },
    ] as Record<string, string>[])
      expect((await play(path, headers)).status).toBe(200);
    const etag = (await play(path)).headers.get("etag")!;
    expect((await play(path, { range: "bytes=0-9", "if-range": etag })).status).toBe(206);
  });

  it("are good for 15 minutes", async () => {
    const path = await linkOf(recorded);
    clock.advance(14 * MINUTE);
    expect((await play(path)).status).toBe(200);
    clock.advance(MINUTE + 1000);
    const late = await play(path);
    expect(late.status).toBe(401);
    expect(await late.json()).toMatchObject({ error: "unauthenticated" });
    expect((await play(await linkOf(recorded))).status).toBe(200);
  });

  it("are good only as they were made", async () => {
    const path = await linkOf(recorded);
    const url = new URL(path, app.publicUrl);
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return copy.pathname + copy.search;
    };
    const signature = url.searchParams.get("signature")!;
    const other = await newCall();
    const { organizationId: stranger } = await app.newOrganization();
    for (const wrong of [
      changed((copy) => copy.searchParams.delete("signature")),
      changed((copy) => copy.searchParams.delete("expires")),
      changed((copy) => {
        copy.search = "";
      }),
      changed((copy) => copy.searchParams.set("signature", "")),
      changed((copy) => copy.searchParams.set("signature", `${signature}A`)),
      changed((copy) => copy.searchParams.set("signature", signature.slice(0, -1))),
      changed((copy) =>
        copy.searchParams.set("signature", (signature[0] === "A" ? "B" : "A") + signature.slice(1)),
      ),
      changed((copy) => copy.searchParams.set("signature", signature.toLowerCase())),
      changed((copy) =>
        copy.searchParams.set("expires", String(Number(copy.searchParams.get("expires")) + 1)),
      ),
      changed((copy) => copy.searchParams.set("expires", "99999999999")),
      changed((copy) => copy.searchParams.set("expires", "soon")),
      changed((copy) => copy.searchParams.set("expires", "-1")),
      path.replace(recorded, other),
      path.replace(recorded, UNKNOWN),
      path.replace(organizationId, stranger),
      path.replace(organizationId, UNKNOWN),
      path.replace(recorded, "nonsense"),
      path.replace(recorded, "..%2f..%2fpasswd"),
      path.replace(organizationId, "nonsense"),
    ]) {
      const response = await play(wrong);
      expect(response.status, wrong).toBe(401);
      expect(await response.json()).toMatchObject({ error: "unauthenticated" });
    }
  });

  it("stop working for everybody when the organization's secret is changed", async () => {
    const path = await linkOf(recorded);
    await app.database.query({
      text: "UPDATE organizations SET link_secret = sha256('another') WHERE organization_id = $1",
      values: [organizationId],
    });
    expect((await play(path)).status).toBe(401);
    expect((await play(await linkOf(recorded))).status).toBe(200);
  });

  it("aren't made for calls without a finished recording, nor for other organizations' calls", async () => {
    const link = (callId: string, of = organizationId) =>
      recordingLink({ ...app, config: app.config }, { organizationId: of, callId });
    const running = await newCall({ withFile: false, bytes: null });
    const unrecorded = await insertTestCall(app, { organizationId });
    const { organizationId: stranger } = await app.newOrganization();
    for (const callId of [running, unrecorded])
      await expect(link(callId)).rejects.toMatchObject({ code: "recording_not_available" });
    await expect(link(UNKNOWN)).rejects.toMatchObject({ code: "not_found" });
    await expect(link(recorded, stranger)).rejects.toMatchObject({ code: "not_found" });
  });

  it("say so when the file is gone", async () => {
    const response = await play(await linkOf(await newCall({ withFile: false })));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: "recording_not_available" });
  });

  it("let go of the file when a player goes away", async () => {
    const path = await linkOf(recorded);
    for (let time = 0; time < 20; time++) {
      await new Promise<void>((resolve, reject) => {
        const request = httpRequest(app.publicUrl + path, { agent: false }, (response) => {
          response.once("data", () => {
            response.destroy();
            resolve();
          });
          response.on("error", () => {});
        });
        request.on("error", reject);
        request.end();
      });
    }
    expect((await play(path)).status).toBe(200);
  });
});
