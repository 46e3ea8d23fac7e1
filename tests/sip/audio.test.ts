import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import type { CarrierCall, EndCause } from "../../server/src/voice/carriers/carrier.ts";
import { createMediaClock } from "../../server/src/voice/media/media-clock.ts";
import type { MediaLeg } from "../../server/src/voice/media/media-leg.ts";
import { startBaresip } from "./baresip.ts";
import { carrierForPeers, trunkAt } from "./carrier-for-peers.ts";
import { lossyRelay } from "./lossy-relay.ts";
import { markedTone, markedTones, measure, samplesOf, wavOf } from "./measured-audio.ts";
import { peerProgram, startSipp, steps, until } from "./sipp.ts";

const hasBaresip = peerProgram("baresip", "baresip-core");
const hasSipp = peerProgram("sipp", "sip-tester");
const FRAMES_PER_SECOND = 50;

/** Sends the marked hum over a call as a session does, by the media clock, and keeps what comes. */
function converse(call: CarrierCall) {
  const clock = createMediaClock();
  const heard: Int16Array[] = [];
  let media: MediaLeg | undefined;
  let frames = 0;
  let concealed = 0;
  let missing = 0;
  let cause: EndCause | undefined;
  const stop = clock.add((index) => {
    if (!media) return;
    frames++;
    media.send(markedTone(index));
    const frame = media.receive();
    if (frame) heard.push(frame.samples.slice());
    else if (heard.length > 0) {
      missing++;
      heard.push(new Int16Array(160));
    }
    if (frame?.concealed) concealed++;
  });
  call.onEvent((event) => {
    if (event.type === "answered") media = event.media;
    if (event.type === "ended") cause = event.cause;
  });
  return {
    frames: () => frames,
    /** Of what was received: frames made up for lost packets, and ticks at which nothing came. */
    counts: () => ({ concealed, missing }),
    samples: () => Int16Array.from(heard.flatMap((each) => [...each])),
    cause: () => cause,
    stats: () => media!.stats(),
    async hangup() {
      stop();
      clock.close();
      await call.hangup();
    },
  };
}

/** Side by side: they mostly wait. */
describe.concurrent("a call's audio", { timeout: 90_000 }, () => {
  it.skipIf(!hasBaresip)("goes both ways for 30 s, with baresip at the other end", async ({ expect }) => {
    const seconds = 30;
    const directory = await mkdtemp(join(tmpdir(), "outreach-audio-"));
    const source = join(directory, "source.wav");
    await writeFile(source, wavOf(markedTones(2 * seconds * FRAMES_PER_SECOND)));
    const phone = await startBaresip({ speaks: source, keepsHeardIn: directory });
    const made = carrierForPeers([trunkAt(phone.port)]);
    try {
      const call = converse(await made.place({ to: "phone" }));
      await until(() => call.frames() >= seconds * FRAMES_PER_SECOND, `30 s; ${phone.said()}`, 60_000);
      expect(call.cause()).toBeUndefined();
      const stats = call.stats();
      await call.hangup();
      await until(() => phone.said().includes("session closed"), "it heard our BYE");
      const name = (await readdir(directory)).find((file) => file.endsWith("-dec.wav"))!;
      const there = measure(samplesOf(await readFile(join(directory, name))));
      const here = measure(call.samples());
      for (const side of [here, there]) {
        const what = JSON.stringify({ here, there, stats, counts: call.counts() });
        // A machine with other work stalls now and then: a second of all may go by with that.
        expect(side.frames, what).toBeGreaterThan((seconds - 2) * FRAMES_PER_SECOND);
        expect(side.frames, what).toBeLessThan((seconds + 2) * FRAMES_PER_SECOND);
        expect(side.marks, what).toBeGreaterThanOrEqual(seconds - 2);
        expect(side.quietFrames / side.frames, what).toBeLessThan(0.02);
        expect(side.longestQuietMs, what).toBeLessThan(300);
        expect(side.level, what).toBeGreaterThan(0.9);
        expect(side.level, what).toBeLessThan(1.1);
        expect(Math.abs(side.driftMs), what).toBeLessThan(250);
      }
      expect(stats.packetsLost).toBeLessThan(stats.packetsReceived / 50);
    } finally {
      await made.close();
      await phone.close();
      await rm(directory, { recursive: true, force: true });
    }
  });

  it.skipIf(!hasSipp).for([2, 5])(
    "survives a way that loses %i of 100 packets each way",
    async (percent, { expect }) => {
      const seconds = 12;
      const relay = await lossyRelay(percent / 100, 4_711 + percent);
      const { invite, ringing, answerAt, ack, bye } = steps;
      const peer = await startSipp([invite, ringing, answerAt(relay.port), ack, bye]);
      relay.leadTo(peer.mediaPort);
      const made = carrierForPeers([trunkAt(peer.port)]);
      try {
        const call = converse(await made.place());
        await until(() => call.frames() >= seconds * FRAMES_PER_SECOND, "12 s", 40_000);
        expect(call.cause()).toBeUndefined();
        const stats = call.stats();
        const { there, back } = relay.counts;
        await call.hangup();
        await peer.succeeded();
        const heard = measure(call.samples());
        const what = JSON.stringify({ heard, stats, there, back, counts: call.counts() });
        // The way was as bad as it should be,
        for (const { passed, lost } of [there, back]) {
          expect(lost / (lost + passed), what).toBeGreaterThan(percent / 300);
          expect(lost / (lost + passed), what).toBeLessThan(percent / 40);
        }
        // which is noticed,
        expect(Math.abs(stats.packetsLost - there.lost - back.lost), what).toBeLessThan(20);
        expect(stats.framesConcealed, what).toBeGreaterThan((there.lost + back.lost) / 2);
        // and hardly heard: what is missing is made up for, and nothing shifts.
        expect(heard.quietFrames / heard.frames, what).toBeLessThan(0.03);
        expect(heard.longestQuietMs, what).toBeLessThan(300);
        expect(heard.level, what).toBeGreaterThan(0.9);
        expect(heard.level, what).toBeLessThan(1.1);
        expect(Math.abs(heard.driftMs), what).toBeLessThan(250);
      } finally {
        await made.close();
        await peer.close();
        relay.close();
      }
    },
  );
});
