import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../../domain-error.ts";
import { isGlobalUnicast } from "./address-policy.ts";
import { checkTargetUrl } from "./check-target.ts";

// A second opinion, written from IANA's special-purpose registries with whole numbers instead of a library.
const SPECIAL_IPV4 =
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`
    .trim()
    .split(/\s+/)
    .map((range) => {
      const [base, bits] = range.split("/");
      const [a, b, c, d] = base!.split(".").map(Number);
      const start = ((a! * 256 + b!) * 256 + c!) * 256 + d!;
      return { start, end: start + 2 ** (32 - Number(bits)) - 1 };
    });

// Inside 2000::/3: the first 48 bits of each range, and its length.
const SPECIAL_IN_2000 = [
  [0x2001_0000_0000n, 23],
  [0x2001_0db8_0000n, 32],
  [0x2002_0000_0000n, 16],
  [0x2620_004f_8000n, 48],
  [0x3fff_0000_0000n, 20],
] as const;

function isPublicIpv4(value: number): boolean {
  return !SPECIAL_IPV4.some(({ start, end }) => value >= start && value <= end);
}

function isPublicIpv6(value: bigint): boolean {
  if (value >> 32n === 0xffffn) return isPublicIpv4(Number(value & 0xffff_ffffn));
  if (value >> 125n !== 1n) return false;
  const head = value >> 80n;
  if (SPECIAL_IN_2000.some(([base, bits]) => head >> BigInt(48 - bits) === base >> BigInt(48 - bits)))
    return false;
  const isatap = ((value >> 32n) & 0xfdff_ffffn) === 0x5efen;
  return !isatap || isPublicIpv4(Number(value & 0xffff_ffffn));
}

const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
const colons = (value: bigint) => {
  const hex = value.toString(16).padStart(32, "0");
  return hex.match(/.{4}/g)!.join(":");
};

const boundary = fc
  .constantFrom(...SPECIAL_IPV4.flatMap(({ start, end }) => [start - 1, start, end, end + 1]))
  .map((value) => (value + 2 ** 32) % 2 ** 32);
const ipv4 = fc.oneof(fc.nat({ max: 2 ** 32 - 1 }), boundary);
const wide = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
const low = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const prefixes = [
  0x2001_0000n,
  0x2001_0db8n,
  0x2001_01ffn,
  0x2001_0200n,
  0x2002_7f00n,
  0x3fff_0fffn,
  0x3fff_1000n,
];
const ipv6 = fc.oneof(
  wide,
  wide.map((value) => (value & (2n ** 125n - 1n)) | (1n << 125n)), // inside 2000::/3
  ipv4.map((inner) => (0xffffn << 32n) | BigInt(inner)), // mapped
  ipv4.map(BigInt), // compatible
  ipv4.map((inner) => (0x64_ff9bn << 96n) | BigInt(inner)), // NAT64
  fc
    .tuple(ipv4, low)
    .map(([inner, rest]) => (0x2002n << 112n) | (BigInt(inner) << 80n) | (rest & 0xffff_ffffn)),
  fc
    .tuple(ipv4, low)
    .map(
      ([inner, rest]) => (0x2606_4700n << 96n) | ((rest & 0x0200n) << 48n) | (0x5efen << 32n) | BigInt(inner),
    ),
  fc.tuple(fc.constantFrom(...prefixes), low).map(([prefix, rest]) => (prefix << 96n) | rest),
  low.map((rest) => (0x2620_004f_8000n << 80n) | rest),
);

const notation = fc.constantFrom<(value: number) => string>(
  dotted,
  String,
  (value) => `0x${value.toString(16)}`,
  (value) => `0${value.toString(8)}`,
  (value) => `${value >>> 24}.${value & 0xff_ffff}`,
  (value) => `0x${(value >>> 24).toString(16)}.${(value >>> 16) & 255}.0${(value & 0xffff).toString(8)}`,
  (value) => dotted(value).replaceAll(".", "。"),
  (value) => `${dotted(value)}.`,
);

async function verdict(url: string, resolved: readonly string[] = []): Promise<string> {
  const resolver = {
    resolve: async () =>
      resolved.map((address) => ({ address, family: address.includes(":") ? (6 as const) : (4 as const) })),
  };
  try {
    return JSON.stringify((await checkTargetUrl(url, { resolver, allowPrivateTargets: false })).addresses);
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

describe("only global unicast passes", () => {
  it("agrees with the registries on IPv4", () => {
    fc.assert(
      fc.property(ipv4, (value) => {
        expect(isGlobalUnicast(dotted(value))).toBe(isPublicIpv4(value));
      }),
      { numRuns: 3_000 },
    );
  });

  it("agrees with the registries on IPv6", () => {
    fc.assert(
      fc.property(ipv6, (value) => {
        expect(isGlobalUnicast(colons(value))).toBe(isPublicIpv6(value));
      }),
      { numRuns: 5_000 },
    );
  });

  it("sees through every notation of an IPv4 literal", async () => {
    await fc.assert(
      fc.asyncProperty(ipv4, notation, async (value, write) => {
        const expected = isPublicIpv4(value)
          ? JSON.stringify([{ address: dotted(value), family: 4 }])
          : "private_ipv4";
        expect(await verdict(`https://${write(value)}/`)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it("names a refused IPv6 literal private_ipv6, whatever it embeds", async () => {
    await fc.assert(
      fc.asyncProperty(ipv6, async (value) => {
        const code = await verdict(`https://[${colons(value)}]/`);
        if (isPublicIpv6(value)) expect(code).toMatch(/^\[/);
        else expect(code).toBe("private_ipv6");
      }),
      { numRuns: 2_000 },
    );
  });

  it("refuses a name as soon as one of its addresses is private", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ipv4, { minLength: 1, maxLength: 4 }),
        fc.array(ipv6, { maxLength: 4 }),
        async (v4, v6) => {
          const code = await verdict("https://hooks.example.com/", [...v4.map(dotted), ...v6.map(colons)]);
          if (!v4.every(isPublicIpv4)) expect(code).toBe("private_resolved_ipv4");
          else if (!v6.every(isPublicIpv6)) expect(code).toBe("private_resolved_ipv6");
          else expect(code).toMatch(/^\[/);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each(["", "localhost", "127.1", "0177.0.0.1", "8.8.8", "2606:4700::1%eth0", "not an address"])(
    "does not take %j for an address that is canonical and global",
    (text) => {
      expect(isGlobalUnicast(text)).toBe(false);
    },
  );
});
