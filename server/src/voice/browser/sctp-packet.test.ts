import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSctpPacket } from "./sctp-packet.ts";

/** A packet of these chunks: the checksum is the stack's to look at. */
function packet(...chunks: { type: number; flags?: number; length?: number; body?: string }[]): Buffer {
  const parts = chunks.map(({ type, flags = 0, length, body = "" }) => {
    const content = Buffer.from(body, "hex");
    const header = Buffer.from([type, flags, 0, 0]);
    header.writeUInt16BE(length ?? content.length + 4, 2);
    return Buffer.concat([header, content, Buffer.alloc((4 - (content.length % 4)) % 4)]);
  });
  return Buffer.concat([Buffer.alloc(12), ...parts]);
}
const data = (tsn: string, text = "7b7d") => ({ type: 0, flags: 3, body: `${tsn}0001000000000033${text}` });

describe("a packet of a page's channel", () => {
  it("is passed on with what browsers send", () => {
    expect(readSctpPacket(packet(data("00000007")))).toEqual([7]);
    expect(
      readSctpPacket(
        packet({ type: 3, body: "0000000100100000" + "00010000" + "00020003" }, data("ffffffff")),
      ),
    ).toEqual([0xffff_ffff]);
    // INIT with forward TSN (C000) and extensions (8008, whose padding isn't counted); RE-CONFIG that closes stream 0.
    const init = { type: 1, body: "000000010010000004000400000000ff" + "c0000004" + "80080006c0820000" };
    expect(readSctpPacket(packet(init))).toEqual([]);
    expect(
      readSctpPacket(packet({ type: 130, body: "000d0012" + "000000010000000200000003" + "0000" })),
    ).toEqual([]);
    for (const type of [5, 8, 11, 14]) expect(readSctpPacket(packet({ type }))).toEqual([]);
    expect(readSctpPacket(packet({ type: 192, body: "0000000900010002" }))).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ["nothing in it", Buffer.alloc(12)],
    ["a chunk without a length", packet({ type: 4, length: 0 })],
    ["a length that isn't there", packet({ type: 4, length: 400 })],
    ["an unknown chunk", packet({ type: 64, body: "00000000" })],
    ["data without a number", packet({ type: 0, body: "00" })],
    ["a parameter without a length", packet({ type: 4, body: "00010000" })],
    ["a parameter that is cut off", packet({ type: 130, body: "000d0040" })],
    ["an acknowledgement of gaps that aren't there", packet({ type: 3, body: "0000000100100000ffff0000" })],
    [
      "one of more than there can be",
      packet({ type: 3, body: "0000000100100000" + "00010000" + "0001ffff" }),
    ],
    [
      "one that ends before it begins",
      packet({ type: 3, body: "0000000100100000" + "00010000" + "00030002" }),
    ],
    ["half a stream", packet({ type: 192, body: "000000090001" })],
    ["a byte too many", Buffer.concat([packet(data("00000007")), Buffer.alloc(1)])],
    ["too many bytes", packet({ type: 10, body: "00".repeat(2_100) })],
  ])("with %s isn't", (_what, bytes) => {
    expect(readSctpPacket(bytes)).toBeNull();
  });

  it("is read to its end, whatever it is", () => {
    const chunk = fc.record({
      type: fc.nat(255),
      length: fc.option(fc.nat(64), { nil: undefined }),
      body: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("hex")),
    });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 5 }), (chunks) => {
        const numbers = readSctpPacket(packet(...(chunks as Parameters<typeof packet>)));
        expect(numbers === null || numbers.length <= chunks.length + 10).toBe(true);
      }),
    );
  });
});
