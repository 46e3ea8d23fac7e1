import ipaddr from "ipaddr.js";

/** An IP address in canonical text form, as `net.connect` takes it. */
export interface TargetAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Reachable for anyone, yet answered by a cloud's own metadata service: public by number, private by use. All the
 * others (169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254, fd20:ce::254) lie in ranges refused anyway.
 */
const METADATA_ADDRESSES = new Set(["168.63.129.16"]);

/**
 * Whether a webhook may be sent to `address`: a global unicast address that anyone on the internet would reach.
 *
 * An IPv4 address mapped into IPv6 (`::ffff:a.b.c.d`) and an ISATAP interface id (`…:0:5efe:a.b.c.d`) are judged by
 * the address inside. The other embeddings (NAT64, 6to4, Teredo, IPv4-compatible) are refused whatever is inside:
 * where they lead is decided by a relay on the way. Text that is no IP address is not global either.
 */
export function isGlobalUnicast(address: string): boolean {
  // ipaddr.js also reads `127.1` and `017.0.0.1`; whoever hands such text in did not canonicalise it first.
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return isGlobalIpv4(parsed);
  if (parsed.isIPv4MappedAddress()) return isGlobalIpv4(parsed.toIPv4Address());
  return isGlobalIpv6(parsed);
}

function isGlobalIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && !METADATA_ADDRESSES.has(address.toString());
}

function isGlobalIpv6(address: ipaddr.IPv6): boolean {
  // ipaddr.js calls everything it has no name for "unicast" (::7f00:1, ::5efe:7f00:1, 4000::1): only 2000::/3 is
  // given out by IANA.
  if ((address.parts[0]! & 0xe000) !== 0x2000 || address.zoneId !== undefined) return false;
  if (address.range() !== "unicast") return false;
  const embedded = isatapIpv4(address.parts);
  return embedded === null || isGlobalIpv4(embedded);
}

function isatapIpv4(parts: readonly number[]): ipaddr.IPv4 | null {
  // The interface id is 0000:5efe, or 0200:5efe when the IPv4 address is said to be globally unique (RFC 5214).
  if ((parts[4]! & ~0x0200) !== 0 || parts[5] !== 0x5efe) return null;
  return new ipaddr.IPv4([parts[6]! >> 8, parts[6]! & 0xff, parts[7]! >> 8, parts[7]! & 0xff]);
}

/** The address that is dialled for an address that was given: an IPv4-mapped one is the IPv4 address it stands for. */
export function toDialable(address: string, family: 4 | 6): TargetAddress {
  if (family === 4) return { address, family };
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    return { address: parsed.toIPv4Address().toString(), family: 4 };
  }
  return { address, family };
}
