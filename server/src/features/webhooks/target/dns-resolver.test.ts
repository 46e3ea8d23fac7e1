import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startDnsServer, type TestDnsServer } from "../../../testing/dns-server.ts";
import { checkTargetUrl } from "./check-target.ts";
import { createTargetResolver } from "./create-target-resolver.ts";
import { createDnsResolver } from "./dns-resolver.ts";
import { shareLookups } from "./shared-lookups.ts";
import type { OwnedTargetResolver } from "./target-resolver.ts";

let server: TestDnsServer;
let resolver: OwnedTargetResolver;

beforeEach(async () => {
  server = await startDnsServer({
    "both.example": { A: ["93.184.216.34", "93.184.216.35"], AAAA: ["2606:4700::1111"] },
    "four.example": { A: ["93.184.216.34"] },
    "six.example": { AAAA: ["2606:4700::1111"] },
    "alias.example": { cname: "four.example" },
    "inside.example": { cname: "private.example" },
    "private.example": { A: ["10.0.0.1"] },
    "mail-only.example": {},
    "half-broken.example": { A: ["93.184.216.34"], AAAA: "servfail" },
    "half-silent.example": { A: ["93.184.216.34"], AAAA: "silent" },
    "half-denied.example": { A: "servfail" },
    "broken.example": "servfail",
    "silent.example": "silent",
  });
  resolver = createDnsResolver({ servers: [server.address], limitMs: 500, graceMs: 100 });
});

afterEach(async () => {
  resolver.close();
  await server.close();
});

const texts = async (host: string) => (await resolver.resolve(host)).map(({ address }) => address);

describe("the DNS resolver", () => {
  it("answers with both families, IPv4 first", async () => {
    expect(await resolver.resolve("both.example")).toEqual([
      { address: "93.184.216.34", family: 4 },
      { address: "93.184.216.35", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
    expect(server.questions.sort()).toEqual(["both.example A", "both.example AAAA"]);
  });

  it("is content with one family, and follows an alias", async () => {
    expect(await texts("four.example")).toEqual(["93.184.216.34"]);
    expect(await texts("six.example")).toEqual(["2606:4700::1111"]);
    expect(await texts("alias.example")).toEqual(["93.184.216.34"]);
    expect(await texts("half-broken.example")).toEqual(["93.184.216.34"]);
    expect(await texts("half-silent.example")).toEqual(["93.184.216.34"]);
  });

  it("tells a name without addresses from a name that can't be looked up", async () => {
    expect(await texts("mail-only.example")).toEqual([]);
    for (const host of ["unknown.example", "broken.example", "half-denied.example", "silent.example"]) {
      await expect(resolver.resolve(host), host).rejects.toThrow("not found");
    }
  });

  it("stops when its caller does", async () => {
    const controller = new AbortController();
    const lookup = resolver.resolve("silent.example", controller.signal);
    controller.abort(new Error("enough"));
    await expect(lookup).rejects.toThrow("enough");
    await expect(resolver.resolve("four.example", controller.signal)).rejects.toThrow("enough");
  });

  it("sees a changed record at the next look-up", async () => {
    expect(await texts("four.example")).toEqual(["93.184.216.34"]);
    server.set("four.example", { A: ["10.0.0.1"] });
    expect(await texts("four.example")).toEqual(["10.0.0.1"]);
  });
});

describe("a target check over real DNS", () => {
  it.each([
    ["unknown.example", "dns_lookup_failed"],
    ["silent.example", "dns_lookup_failed"],
    ["mail-only.example", "dns_no_records"],
    ["private.example", "private_resolved_ipv4"],
    ["inside.example", "private_resolved_ipv4"],
  ])("%s → %s", async (host, code) => {
    const deps = { resolver, allowPrivateTargets: false };
    await expect(checkTargetUrl(`https://${host}/`, deps)).rejects.toMatchObject({ code });
  });

  it("accepts a public name", async () => {
    const target = await checkTargetUrl("https://both.example/", { resolver, allowPrivateTargets: false });
    expect(target.addresses).toHaveLength(3);
  });
});

describe("with private targets allowed", () => {
  it("asks the system for localhost, and DNS for other names", async () => {
    const own = createTargetResolver({ allowPrivateTargets: true, servers: [server.address], limitMs: 500 });
    const addresses = await own.resolve("localhost");
    expect(addresses[0]).toEqual({ address: "127.0.0.1", family: 4 });
    expect(server.questions).toEqual([]);
    expect((await own.resolve("private.example"))[0]?.address).toBe("10.0.0.1");
    own.close();
  });
});

describe("shared look-ups", () => {
  it("asks once for attempts that come together, again for a failed one", async () => {
    const shared = shareLookups(resolver);
    await Promise.all(Array.from({ length: 20 }, () => shared.resolve("four.example")));
    await shared.resolve("four.example");
    expect(server.questions).toHaveLength(2);
    await expect(shared.resolve("unknown.example")).rejects.toThrow();
    server.set("unknown.example", { A: ["93.184.216.34"] });
    expect(await shared.resolve("unknown.example")).toHaveLength(1);
  });

  it("leaves the others' look-up alone when one caller gives up", async () => {
    const shared = shareLookups(resolver);
    const controller = new AbortController();
    const first = shared.resolve("four.example", controller.signal);
    const second = shared.resolve("four.example");
    controller.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    expect(await second).toHaveLength(1);
  });

  it("asks again once the answer is a second old", async () => {
    const shared = shareLookups(resolver);
    await shared.resolve("four.example");
    server.set("four.example", { A: ["10.0.0.1"] });
    await expect
      .poll(async () => (await shared.resolve("four.example"))[0]?.address, { timeout: 5_000 })
      .toBe("10.0.0.1");
  });
});
