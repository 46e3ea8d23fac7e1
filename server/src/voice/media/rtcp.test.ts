import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReceiveStatistics } from "./receive-statistics.ts";
import { createReports } from "./rtcp.ts";
import { openRtpLeg } from "./rtp-leg.ts";
import { createRtpPorts } from "./rtp-ports.ts";

const SENT = { ssrc: 7, packets: 100, octets: 16_000, timestamp: 1_600 };

describe("reports", () => {
  it("tell what was sent and what was lost, as RFC 3550 lays it out", () => {
    const statistics = createReceiveStatistics();
    const reports = createReports(statistics, "us");
    // Around the wrap of the sequence numbers; every fifth is lost.
    for (let number = 65_530; number < 65_550; number++) {
      if (number % 5 === 0 && number > 65_530) continue;
      const packet = { sequenceNumber: number & 0xffff, timestamp: 160 * number, ssrc: 9 };
      statistics.received(packet, 20 * number);
    }
    const bytes = reports.next(SENT, 1_500);
    expect([...bytes.subarray(0, 4)]).toEqual([0x81, 200, 0, 12]);
    expect(bytes.readUInt32BE(4)).toBe(7);
    expect(bytes.readUInt32BE(8)).toBe(1);
    expect(bytes.readUInt32BE(12)).toBe(2 ** 31);
    expect([16, 20, 24].map((at) => bytes.readUInt32BE(at))).toEqual([1_600, 100, 16_000]);
    expect(bytes.readUInt32BE(28)).toBe(9);
    expect(bytes[32]).toBe(Math.floor((256 * 3) / 20));
    expect(bytes.readUIntBE(33, 3)).toBe(3);
    expect(bytes.readUInt32BE(36)).toBe((1 << 16) | (65_549 & 0xffff));
    expect([...bytes.subarray(52, 56)]).toEqual([0x81, 202, 0, 3]);
    expect(bytes.toString("latin1", 62, 64)).toBe("us");
    // Nothing was lost since.
    expect(reports.next(SENT, 6_500)[32]).toBe(0);
  });

  it("tell each side how long the way is, and how much the other has lost", () => {
    const ours = createReports(createReceiveStatistics(), "us");
    const statistics = createReceiveStatistics();
    const theirs = createReports(statistics, "them");
    for (const sequenceNumber of [1, 2, 4]) statistics.received({ sequenceNumber, timestamp: 0, ssrc: 7 }, 0);
    expect(ours.told()).toEqual({ lost: null, roundTripMs: null });
    theirs.received(ours.next(SENT, 10_000), 70_050);
    ours.received(theirs.next({ ...SENT, ssrc: 8 }, 70_550), 10_600);
    expect(ours.told().lost).toBe(0.25);
    expect(ours.told().roundTripMs).toBeCloseTo(100, 0);
  });

  it("that are garbage are left alone", () => {
    const reports = createReports(createReceiveStatistics(), "us");
    const valid = reports.next(SENT, 1_000);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(valid.length), (bytes, cut) => {
        reports.received(bytes, 0);
        reports.received(Buffer.concat([valid.subarray(0, cut), bytes]), 0);
      }),
    );
  });

  it("travel between two legs on the ports above", async () => {
    const ports = createRtpPorts({ from: 42_000, to: 42_099 });
    let now = 0;
    const options = { ports, localAddress: "127.0.0.1", payloadType: "pcmu", reports: true } as const;
    const open = () => openRtpLeg({ ...options, now: () => now });
    const [one, other] = [await open(), await open()];
    one.setRemote({ address: "127.0.0.1", port: other.localPort });
    other.setRemote({ address: "127.0.0.1", port: one.localPort });
    for (let frame = 0; frame < 600; frame++) {
      now += 20;
      for (const leg of [one, other]) {
        leg.send(new Int16Array(160));
        leg.receive();
      }
      if (frame % 10 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(one.reported()?.lost).toBe(0);
    expect(other.reported()?.roundTripMs).toBeLessThan(1_000);
    one.close();
    other.close();
    await Promise.all([one.closed, other.closed]);
  });
});
