import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A certificate and its private key, both PEM, as `https.createServer` takes them. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface TestAuthority extends TestCertificate {
  /** Makes a server certificate signed by this authority; valid from yesterday for 30 days unless told otherwise. */
  issue(names: CertificateNames, validity?: Validity): TestCertificate;
}

export interface CertificateNames {
  readonly dns?: readonly string[];
  /** IPv4 only. */
  readonly ip?: readonly string[];
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const DAY_MS = 86_400_000;

/** Validity that ended yesterday. */
export function expiredValidity(): Validity {
  return { notBefore: new Date(Date.now() - 10 * DAY_MS), notAfter: new Date(Date.now() - DAY_MS) };
}

function currentValidity(): Validity {
  return { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 30 * DAY_MS) };
}

/** A certificate authority made on the spot: X.509 by hand, so that no test needs the openssl command. */
export function createAuthority(name = "Outreach test authority"): TestAuthority {
  const keys = newKeys();
  const cert = makeCertificate(name, name, keys, keys.privateKey, currentValidity(), [
    basicConstraints(true),
  ]);
  return {
    cert,
    key: keys.pem,
    issue(names, validity = currentValidity()) {
      const own = newKeys();
      const subject = names.dns?.[0] ?? names.ip?.[0] ?? "nobody";
      const extensions = [basicConstraints(false), subjectAltName(names)];
      return {
        cert: makeCertificate(name, subject, own, keys.privateKey, validity, extensions),
        key: own.pem,
      };
    },
  };
}

/** A certificate signed by nobody but itself. */
export function selfSignedCertificate(names: CertificateNames): TestCertificate {
  const keys = newKeys();
  const subject = names.dns?.[0] ?? names.ip?.[0] ?? "nobody";
  const extensions = [subjectAltName(names)];
  return {
    cert: makeCertificate(subject, subject, keys, keys.privateKey, currentValidity(), extensions),
    key: keys.pem,
  };
}

function newKeys(): { privateKey: KeyObject; pem: string } {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { privateKey, pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

let serial = 0;

function makeCertificate(
  issuer: string,
  subject: string,
  subjectKeys: { privateKey: KeyObject },
  signer: KeyObject,
  validity: Validity,
  extensions: readonly Buffer[],
): string {
  serial += 1;
  const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)); // ecdsa-with-SHA256
  const toBeSigned = sequence(
    der(0xa0, integer(2)), // version 3
    integer(serial),
    algorithm,
    commonName(issuer),
    sequence(generalizedTime(validity.notBefore), generalizedTime(validity.notAfter)),
    commonName(subject),
    createPublicKey(subjectKeys.privateKey).export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", toBeSigned, signer);
  const bytes = sequence(toBeSigned, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function basicConstraints(authority: boolean): Buffer {
  const value = authority ? sequence(der(0x01, Buffer.from([0xff]))) : sequence();
  return sequence(oid(0x55, 0x1d, 0x13), der(0x01, Buffer.from([0xff])), der(0x04, value));
}

function subjectAltName(names: CertificateNames): Buffer {
  const dns = (names.dns ?? []).map((name) => der(0x82, Buffer.from(name, "latin1")));
  const ip = (names.ip ?? []).map((address) => der(0x87, Buffer.from(address.split(".").map(Number))));
  return sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(...dns, ...ip)));
}

function commonName(name: string): Buffer {
  const attribute = sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(name, "utf8")));
  return sequence(der(0x31, attribute));
}

function generalizedTime(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z$/g, "")}Z`, "latin1"));
}

function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, "hex");
  return der(0x02, bytes[0]! & 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes);
}

function oid(...bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function sequence(...contents: Buffer[]): Buffer {
  return der(0x30, ...contents);
}

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
