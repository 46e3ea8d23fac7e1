import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../server/src/testing/free-port.ts";
import { startBaresip } from "./baresip.ts";
import { carrierForPeers, follow, trunkAt } from "./carrier-for-peers.ts";
import { markedTones, wavOf } from "./measured-audio.ts";
import { peerProgram, until } from "./sipp.ts";

const run = promisify(execFile);

/** Against a phone that somebody else has written. Missing: `apt-get install baresip-core`. */
describe.skipIf(!peerProgram("baresip", "baresip-core"))("calls with a baresip phone (baresip-core)", () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  it.each(["PCMU", "PCMA"])("are answered, and both sides hear each other in %s", async (codec) => {
    const phone = await startBaresip({ account: `;audio_codecs=${codec}/8000/1` });
    closers.push(phone.close);
    const made = carrierForPeers([trunkAt(phone.port)]);
    closers.push(made.close);
    const call = await made.dial({ to: "phone" });
    // Our own hum, over there and back.
    await until(() => call.loudFrames() >= 150, `3 s of audio; ${phone.said()}`, 15_000);
    expect(call.types).toEqual(["ringing", "answered"]);
    expect(call.stats()!.packetsLost).toBeLessThan(10);
    await call.hangup();
    await until(() => phone.said().includes("session closed"), "it heard our BYE");
  });

  it("are put on hold and taken back, and digits are keyed (RFC 3264, 8.4; RFC 4733)", async () => {
    const directory = await mkdtemp(join(tmpdir(), "outreach-phone-"));
    closers.push(() => rm(directory, { recursive: true, force: true }));
    const speaks = join(directory, "speech.wav");
    await writeFile(speaks, wavOf(markedTones(60 * 50)));
    const phone = await startBaresip({ obeys: true, speaks });
    closers.push(phone.close);
    const made = carrierForPeers([trunkAt(phone.port)]);
    closers.push(made.close);
    const call = await made.dial({ to: "phone" });
    await until(() => call.loudFrames() >= 25, `half a second of audio; ${phone.said()}`);
    phone.command("hold");
    const isQuiet = async () => {
      const before = call.stats()!;
      await new Promise((resolve) => setTimeout(resolve, 300));
      const { packetsReceived, framesSent } = call.stats()!;
      return packetsReceived === before.packetsReceived && framesSent === before.framesSent;
    };
    await expect.poll(isQuiet).toBe(true);
    expect(call.cause()).toBeUndefined();
    phone.command("resume");
    const before = call.loudFrames();
    await until(() => call.loudFrames() >= before + 25, `audio again; ${phone.said()}`);
    phone.command("sndcode", "5");
    await until(() => call.digits.length > 0, `a digit; ${phone.said()}`);
    expect(call.digits).toEqual(["5"]);
    await call.hangup();
    await until(() => phone.said().includes("session closed"), "it heard our BYE");
  });

  it.each([
    ["in the clear", "", []],
    ["protected, since it wants that", ";mediaenc=srtp-mand", ["srtp"]],
  ])(
    "travel over TLS, to a server whose certificate is believed only; audio %s",
    async (_, account, modules) => {
      const directory = await mkdtemp(join(tmpdir(), "outreach-tls-"));
      closers.push(() => rm(directory, { recursive: true, force: true }));
      const [key, certificate] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
      const subject = ["-subj", "/CN=trunk", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
      const files = ["-keyout", key, "-out", certificate];
      await run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject, ...files]);
      const ca = await readFile(certificate);
      await writeFile(certificate, Buffer.concat([await readFile(key), ca]));
      const phone = await startBaresip({ certificate, account, modules });
      closers.push(phone.close);
      const trunk = trunkAt(phone.port + 1, { protocol: "tls" });
      const stranger = carrierForPeers([trunk]);
      closers.push(stranger.close);
      await expect(stranger.dial({ to: "phone" })).rejects.toMatchObject({ code: "carrier_dial_failed" });
      const made = carrierForPeers([trunk], { ca });
      closers.push(made.close);
      const call = await made.dial({ to: "phone" });
      await until(() => call.loudFrames() >= 25, `half a second of audio; ${phone.said()}`);
      await call.hangup();
      await until(() => phone.said().includes("session closed"), "it heard our BYE");
    },
  );

  it("come in, are answered with the protection that they ask for, and heard", async () => {
    const port = await freePort();
    let taken: ReturnType<typeof follow> | undefined;
    const made = carrierForPeers([trunkAt(5060)], {
      port,
      answer: async ({ from, to, carrier }) => {
        expect([from, to]).toEqual([null, "+12125550177"]);
        const request = { organizationId: "o", callId: "in", from: "", to, ringTimeoutMs: 0 };
        taken = follow(await carrier.dial(request));
        return "taken";
      },
    });
    closers.push(made.close);
    await until(() => made.told.includes("SIP is listening"), "it listens");
    const phone = await startBaresip({
      dials: `sip:+12125550177@127.0.0.1:${port}`,
      account: ";mediaenc=srtp-mand",
      modules: ["srtp"],
    });
    closers.push(phone.close);
    await until(() => (taken?.loudFrames() ?? 0) >= 50, `a second of our own hum; ${phone.said()}`);
    expect(phone.said()).toMatch(/established/i);
    await taken!.hangup();
    await until(() => phone.said().includes("session closed"), "it heard our BYE");
  });
});
