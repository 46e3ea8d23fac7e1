import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isSignedByTelnyx } from "./telnyx-signature.ts";
import { isSignedByTwilio } from "./twilio-signature.ts";

describe("Twilio's signature", () => {
  // The worked examples of Twilio's documentation and of its own libraries' tests.
  const example = {
    authToken: "12345",
    url: "https://mycompany.com/myapp.php?foo=1&bar=2",
    form: {
      Digits: "1234",
      To: "+18005551212",
      CallSid: "CA1234567890ABCDE",
      From: "+14158675310",
      Caller: "+14158675310",
    },
    signature: "GvWf1cFY/Q7PnoempGyD5oXAezc=",
  };
  const isSigned = ({ form, ...rest }: typeof example) =>
    isSignedByTwilio({ ...rest, form: new URLSearchParams(form) });
  const other = {
    ...example,
    form: { ...example.form, From: "+14158675309", Caller: "+14158675309" },
    signature: "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
  };

  it("is right in the documented examples", () => {
    expect(isSigned(example)).toBe(true);
    expect(isSigned(other)).toBe(true);
    expect(
      isSigned({
        authToken: "2bd9e9638872de601313dc77410d3b23",
        url: "http://twiliotests.heroku.com/validate/voice",
        form: {
          ...{ ToState: "California", CalledState: "California", Direction: "inbound", FromState: "CA" },
          ...{ AccountSid: "ACba8bc05eacf94afdae398e642c9cc32d", Caller: "+14153595711" },
          ...{ CallerZip: "94108", CallerCountry: "US", From: "+14153595711", FromCity: "SAN FRANCISCO" },
          ...{ CallerCity: "SAN FRANCISCO", To: "+14157669926", FromZip: "94108", FromCountry: "US" },
          ...{ ToCity: "", CallStatus: "ringing", CalledCity: "", CallerState: "CA", CalledZip: "" },
          ...{ ToZip: "", ToCountry: "US", CallSid: "CA136d09cd59a3c0ec8dbff44da5c03f31" },
          ...{ CalledCountry: "US", Called: "+14157669926", ApiVersion: "2010-04-01" },
          ...{ ApplicationSid: "AP44efecad51364e80b133bb7c07eb8204" },
        } as never,
        signature: "oVb2kXoVy8GEfwBDjR8bk/ZZ6eA=",
      }),
    ).toBe(true);
  });

  it("holds whether the usual port is named or not", () => {
    expect(isSigned({ ...example, url: "https://mycompany.com:443/myapp.php?foo=1&bar=2" })).toBe(true);
    expect(isSigned({ ...example, url: "https://mycompany.com:8443/myapp.php?foo=1&bar=2" })).toBe(false);
  });

  it.each([
    ["another token", { authToken: "12346" }],
    ["another address", { url: "https://mycompany.com/myapp.php?foo=1&bar=3" }],
    ["http", { url: "http://mycompany.com/myapp.php?foo=1&bar=2" }],
    ["a changed field", { form: { ...example.form, Digits: "1235" } }],
    ["a field more", { form: { ...example.form, Body: "STOP" } }],
    ["no signature", { signature: "" }],
    ["a part of it", { signature: example.signature.slice(0, 12) }],
    ["what is no base64", { signature: "?" }],
  ])("isn't right for %s", (_, change) => {
    expect(isSigned({ ...example, ...change } as typeof example)).toBe(false);
  });
});

describe("Telnyx's signature", () => {
  // By its documentation: over `<telnyx-timestamp>|<body>`, with a key of 32 bytes.
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const body = Buffer.from('{"data":{"event_type":"message.received"}}');
  const timestamp = "1772723100";
  const example = {
    publicKey: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64"),
    timestamp,
    body,
    signature: sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64"),
    now: 1_772_723_100_000,
  };

  it("is right for five minutes", () => {
    for (const seconds of [-300, 0, 300])
      expect(isSignedByTelnyx({ ...example, now: example.now + seconds * 1_000 })).toBe(true);
    for (const seconds of [-301, 301])
      expect(isSignedByTelnyx({ ...example, now: example.now + seconds * 1_000 })).toBe(false);
  });

  it.each([
    ["another key", { publicKey: Buffer.alloc(32, 7).toString("base64") }],
    ["another time", { timestamp: "1772723101" }],
    ["no time", { timestamp: "" }],
    ["a time that is none", { timestamp: "NaN" }],
    ["another body", { body: Buffer.from(`${body} `) }],
    ["no signature", { signature: "" }],
    ["a part of it", { signature: "AAAA" }],
  ])("isn't right for %s", (_, change) => {
    expect(isSignedByTelnyx({ ...example, ...change })).toBe(false);
  });
});
