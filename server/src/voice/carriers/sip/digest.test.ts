import { describe, expect, it } from "vitest";
import { authorize, chooseChallenge } from "./digest.ts";

/** The example of RFC 7616, 3.9.1: the same secret by both algorithms. */
const NONCE = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
const challenge = (algorithm: string) =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${NONCE}", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
const credentials = { username: "Mufasa", password: "Circle of Life" };
const request = { method: "GET", uri: "/dir/index.html" };
const use = { cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", count: 1 };

describe("digest authentication", () => {
  it.each([
    ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
    ["SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"],
  ])("answers the example of RFC 7616 with %s", (algorithm, response) => {
    const value = authorize(chooseChallenge([challenge(algorithm)])!, credentials, request, use);
    expect(value).toContain(`response="${response}"`);
    expect(value).toContain("qop=auth, nc=00000001");
    expect(value).toContain(`algorithm=${algorithm}`);
  });

  it("answers what RFC 2069 asked for: no qop, no algorithm", () => {
    const chosen = chooseChallenge([
      'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"',
    ])!;
    const value = authorize(chosen, { ...credentials, password: "CircleOfLife" }, request, use);
    expect(value).toContain('response="1949323746fe6a43ef61f9606e7febea"');
    expect(value).not.toContain("nc=");
  });

  it("takes the strongest that is offered, and nothing that it can't answer", () => {
    expect(chooseChallenge([challenge("MD5"), challenge("SHA-256")])?.algorithm).toBe("SHA-256");
    expect(chooseChallenge([challenge("SHA-512-256"), challenge("MD5")])?.algorithm).toBe("MD5");
    for (const other of [
      "Basic realm=x",
      "Digest realm=x",
      'Digest realm="x", nonce="y", qop="auth-int"',
      "",
    ])
      expect(chooseChallenge([other])).toBeNull();
  });
});
