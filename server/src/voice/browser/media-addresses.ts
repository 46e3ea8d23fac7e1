import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * At which addresses browsers are told to send their audio.
 * @param mediaAddress what the operator says; it need not be one of the machine's own (a router may map it one to one)
 * @param host where the public API listens: a service that only this machine reaches has its media there too
 */
export function mediaAddresses(mediaAddress: string | null, host: string): string[] {
  if (mediaAddress !== null) return [mediaAddress];
  if (host !== "0.0.0.0" && host !== "::") return [isIP(host) ? host : LOOPBACK];
  const external = ownAddresses().filter(({ internal, family }) => !internal && family === "IPv4");
  return external.length > 0 ? external.map(({ address }) => address) : [LOOPBACK];
}

export function isOwnAddress(address: string): boolean {
  return ownAddresses().some((own) => own.address === address);
}

const LOOPBACK = "127.0.0.1";

function ownAddresses() {
  return Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
}
