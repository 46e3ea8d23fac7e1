import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createAuthority,
  expiredValidity,
  selfSignedCertificate,
  type TestAuthority,
} from "../../../testing/certificates.ts";
import { startWebhookSink, type WebhookSink } from "../../../testing/webhook-sink.ts";
import { isGlobalUnicast } from "../target/address-policy.ts";
import type { TargetResolver } from "../target/index.ts";
import { createDeliveryClient } from "./delivery-client.ts";

const attemptTo = (targetUrl: string) => ({
  targetUrl,
  secret: `whsec_${"ab".repeat(32)}`,
  eventType: "lead.created",
  eventId: "019b8f5e-7000-7000-8000-000000000001",
  attempt: 1,
  timestampSeconds: 1_767_614_400,
  body: "{}",
});

const resolvingTo = (...addresses: string[]): TargetResolver => ({
  resolve: async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? (6 as const) : (4 as const) })),
});

let authority: TestAuthority;
let sink: WebhookSink;

beforeAll(async () => {
  authority = createAuthority();
  sink = await startWebhookSink({
    tls: authority.issue({ dns: ["hooks.example.com"], ip: ["93.184.216.34"] }),
  });
});
afterAll(() => sink.close());

/** A client in production mode; whatever address it dials, the sink answers. What it dialled is in `dialled`. */
function clientFor(resolver: TargetResolver, port: number, ca: string | null = authority.cert) {
  const dialled: string[] = [];
  const client = createDeliveryClient({
    resolver,
    allowPrivateTargets: false,
    timeoutMs: 5_000,
    ...(ca !== null && { ca }),
    openSocket: (address) => {
      dialled.push(address);
      return connect({ host: "127.0.0.1", port });
    },
  });
  return { client, dialled };
}

describe("TLS to a pinned address", () => {
  it("dials the checked address; SNI, Host and the certificate check stay the name's", async () => {
    const { client, dialled } = clientFor(resolvingTo("93.184.216.34"), sink.port);
    const outcome = await client.deliver(attemptTo("https://hooks.example.com/in"));
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(dialled).toEqual(["93.184.216.34"]);
    expect(sink.requests.at(-1)?.headers.host).toBe("hooks.example.com");
    expect(sink.serverNames.at(-1)).toBe("hooks.example.com");
    await client.close();
  });

  it("checks an IP literal's certificate against the address, and sends no SNI", async () => {
    const { client } = clientFor(resolvingTo(), sink.port);
    expect(await client.deliver(attemptTo("https://93.184.216.34/"))).toMatchObject({ ok: true });
    expect(sink.serverNames.at(-1)).toBe(false);
    const other = await client.deliver(attemptTo("https://93.184.216.35/"));
    expect(other).toMatchObject({ ok: false, error: "tls_wrong_host" });
    await client.close();
  });

  it("tries another checked address when one refuses, IPv4 first", async () => {
    const refused: string[] = [];
    const client = createDeliveryClient({
      resolver: resolvingTo("93.184.216.34", "93.184.216.35", "2606:4700::1111"),
      allowPrivateTargets: false,
      ca: authority.cert,
      openSocket: (address) => {
        refused.push(address);
        return connect({ host: "127.0.0.1", port: address.includes(":") ? sink.port : 1 });
      },
    });
    expect(await client.deliver(attemptTo("https://hooks.example.com/"))).toMatchObject({ ok: true });
    expect(refused).toEqual(["93.184.216.34", "2606:4700::1111"]);
    await client.close();
  });

  it.each([
    [
      "expired",
      "tls_certificate_expired",
      () => authority.issue({ dns: ["hooks.example.com"] }, expiredValidity()),
    ],
    ["self-signed", "tls_self_signed", () => selfSignedCertificate({ dns: ["hooks.example.com"] })],
    ["another host's", "tls_wrong_host", () => authority.issue({ dns: ["other.example.com"] })],
    [
      "a stranger's",
      "tls_untrusted",
      () => createAuthority("stranger").issue({ dns: ["hooks.example.com"] }),
    ],
  ] as const)("refuses a certificate that is %s: %s", async (_, error, certificate) => {
    const broken = await startWebhookSink({ tls: certificate() });
    const { client } = clientFor(resolvingTo("93.184.216.34"), broken.port);
    const outcome = await client.deliver(attemptTo("https://hooks.example.com/"));
    expect(outcome).toMatchObject({ ok: false, status: null, error, permanent: false });
    expect(broken.requests).toHaveLength(0);
    await client.close();
    await broken.close();
  });

  it("trusts the system's authorities by default, so not this one", async () => {
    const { client } = clientFor(resolvingTo("93.184.216.34"), sink.port, null);
    const outcome = await client.deliver(attemptTo("https://hooks.example.com/"));
    expect(outcome).toMatchObject({ ok: false, status: null, error: "tls_untrusted" });
    await client.close();
  });

  it("calls a receiver without TLS tls_handshake_failed", async () => {
    const plain = await startWebhookSink();
    const { client } = clientFor(resolvingTo("93.184.216.34"), plain.port);
    const outcome = await client.deliver(attemptTo("https://hooks.example.com/"));
    expect(outcome).toMatchObject({ ok: false, status: null, error: "tls_handshake_failed" });
    await client.close();
    await plain.close();
  });
});

describe("what is connected to", () => {
  const byte = fc.nat({ max: 255 });
  const anyIpv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join("."));
  const anyIpv6 = fc.ipV6();
  const special = fc.constantFrom(
    "127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "0.0.0.0", "168.63.129.16", "224.0.0.1",
    "::1", "::", "::ffff:127.0.0.1", "::7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "fd00:ec2::254", "fe80::1", "4000::1",
    "::5efe:7f00:1", "2606:4700::5efe:a00:1",
  ); // biome-ignore format: a table
  const address = fc.oneof(anyIpv4, anyIpv6, special);

  it("is global unicast and was checked, or nothing", async () => {
    let sent = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(address, { minLength: 1, maxLength: 4 }), async (addresses) => {
        const { client, dialled } = clientFor(resolvingTo(...addresses), sink.port);
        const outcome = await client.deliver(attemptTo("https://hooks.example.com/"));
        await client.close();
        const plain = addresses.map((text) => text.replace(/^::ffff:(?=\d+\.)/i, ""));
        for (const text of dialled) {
          expect(isGlobalUnicast(text)).toBe(true);
          if (!text.includes(":")) expect(plain.some((one) => one === text || one.includes(":"))).toBe(true);
        }
        if (addresses.every(isGlobalUnicast)) {
          sent += 1;
          expect(dialled).toHaveLength(1);
          expect(outcome.ok).toBe(true);
        } else {
          refused += 1;
          expect(dialled).toEqual([]);
          expect(outcome).toMatchObject({ ok: false, status: null, permanent: true });
          expect(outcome.error).toMatch(/^private_resolved_ipv[46]$/);
        }
      }),
      { numRuns: 300 },
    );
    expect(sent).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(10);
  });
});
