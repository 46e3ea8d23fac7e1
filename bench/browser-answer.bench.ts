import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasChromium, startChromium, writeTone } from "../tests/browser/chromium.ts";
import { quantile, report } from "./report.ts";
import { startService } from "./service.ts";

/** How long a person waits: from the page's offer to a connection that stands, in a real browser on this machine. */
const CALLS = 40;
/** The first one loads the WebRTC stack: it counts as any other. */
const REACH_MS = 500;

/** What the SDK does, with a look at the clock. The microphone is open already: a person's answer isn't ours to measure. */
const CONNECT = `async ({ connect_url: url, access_token: token }) => {
  window.microphone ??= await navigator.mediaDevices.getUserMedia({ audio: true });
  const connection = new RTCPeerConnection();
  const [track] = microphone.getAudioTracks();
  connection.addTrack(track, microphone);
  connection.createDataChannel("events");
  const connected = new Promise((resolve) => {
    connection.addEventListener("connectionstatechange", () => connection.connectionState === "connected" && resolve());
  });
  await connection.setLocalDescription();
  const began = performance.now();
  const sent = await fetch(url, {
    method: "POST",
    headers: { authorization: "Bearer " + token, "content-type": "application/json" },
    body: JSON.stringify({ type: "offer", sdp: connection.localDescription.sdp }),
  });
  const answered = performance.now();
  if (!sent.ok) throw new Error(await sent.text());
  await connection.setRemoteDescription(await sent.json());
  await connected;
  const stood = performance.now();
  connection.close();
  return { answered: answered - began, connected: stood - began };
}`;

if (!hasChromium) throw new Error("This benchmark needs Chromium.");
const folder = await mkdtemp(join(tmpdir(), "outreach-bench-browser-"));
const service = await startService({ DATA_DIR: join(folder, "data") });
const browser = await startChromium({ microphone: await writeTone(join(folder, "tone.wav"), 440) });
try {
  const { organizationId, key } = await service.newOrganization();
  await service.admin(`/organizations/${organizationId}/wallet/credits`, { tokens: 1_000_000 });
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${service.publicUrl}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  };
  const page = await browser.newPage();
  // A page of the service: one of another origin would ask before its first request, once.
  await page.goto(`${service.publicUrl}/docs`);
  const measured: { answered: number; connected: number }[] = [];
  for (let call = 0; call < CALLS; call++) {
    const started = await post("/calls", { medium: "browser", system_prompt: "Be kind." });
    const { id, browser_session: session } = started as {
      id: string;
      browser_session: object;
    };
    const asked = JSON.stringify({
      ...session,
      connect_url: `${service.publicUrl}/v1/calls/${id}/connect`,
    });
    measured.push(await page.evaluate(`(${CONNECT})(${asked})`));
    // The page is gone by now, and its call with it at times.
    await service.admin(`/organizations/${organizationId}/calls/${id}/hangup`, {}).catch((error: unknown) => {
      if (!String(error).includes("call_already_ended")) throw error;
    });
  }
  const connected = measured.map((one) => one.connected);
  const answered = measured.map((one) => one.answered);
  const p95 = quantile(connected, 0.95);
  const milliseconds = (values: readonly number[], part: number) =>
    `${Math.round(quantile(values, part))} ms`;
  report("browser answer", [
    {
      what: `offer to connected, ${CALLS} calls (p50 ${milliseconds(connected, 0.5)}, of which to the answer ${milliseconds(answered, 0.5)}; longest ${milliseconds(connected, 1)}), p95`,
      measured: `${Math.round(p95)} ms`,
      reach: `≤ ${REACH_MS} ms`,
      reached: p95 <= REACH_MS,
    },
  ]);
} finally {
  await browser.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}
