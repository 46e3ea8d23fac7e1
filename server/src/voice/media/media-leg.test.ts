import { memoryLine } from "../../testing/voice/memory-line.ts";
import { mediaLegContract } from "./media-leg.contract.ts";
import { FRAME_MS, FRAME_SAMPLES } from "./media-leg.ts";
import { openRtpLeg } from "./rtp-leg.ts";
import { createRtpPorts } from "./rtp-ports.ts";

mediaLegContract("RTP on loopback", async () => {
  const ports = createRtpPorts({ from: 31_000, to: 31_099 });
  let nowMs = 0;
  const side = (payloadType: "pcmu" | "pcma") =>
    openRtpLeg({
      ports,
      localAddress: "127.0.0.1",
      payloadType,
      telephoneEventPayloadType: 101,
      now: () => nowMs,
    });
  const [leg, far] = [await side("pcmu"), await side("pcma")];
  leg.setRemote({ address: "127.0.0.1", port: far.localPort });
  far.setRemote({ address: "127.0.0.1", port: leg.localPort });
  const heard: number[] = [];
  const speaking: number[] = [];
  return {
    leg,
    far: {
      heard,
      key: (digit) => far.sendDigit(digit),
      speak(milliseconds, amplitude) {
        for (let at = 0; at < milliseconds; at += FRAME_MS) speaking.push(amplitude);
      },
    },
    async tick() {
      nowMs += FRAME_MS;
      const amplitude = speaking.shift() ?? 0;
      far.send(Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => (at % 2 ? amplitude : -amplitude)));
      // Both directions are one turn of the loopback away.
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      const frame = far.receive();
      if (frame) heard.push(Math.max(...frame.samples.map(Math.abs)));
    },
    async close() {
      leg.close();
      far.close();
      await Promise.all([leg.closed, far.closed]);
    },
  };
});

mediaLegContract("the tests' line in memory", async () => {
  const { leg, far } = memoryLine();
  return { leg, far, tick: () => Promise.resolve(), close: async () => leg.close() };
});
