import { describe, expect, it } from "vitest";
import { DomainError } from "../../../domain-error.ts";
import type { TargetAddress } from "./address-policy.ts";
import { checkTargetUrl } from "./check-target.ts";
import type { TargetResolver } from "./target-resolver.ts";

const address = (text: string): TargetAddress => ({ address: text, family: text.includes(":") ? 6 : 4 });

function answering(...addresses: string[]): TargetResolver {
  return { resolve: async () => addresses.map(address) };
}

const publicName = answering("93.184.216.34");
const noLookup: TargetResolver = {
  resolve: async (host) => {
    throw new Error(`nobody should have looked up ${host}`);
  },
};

async function codeOf(text: unknown, resolver = noLookup, allowPrivateTargets = false): Promise<string> {
  try {
    await checkTargetUrl(text, { resolver, allowPrivateTargets });
    return "accepted";
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

describe("malformed_url", () => {
  const long = (length: number) =>
    `https://example.com/${"a".repeat(length - "https://example.com/".length)}`;
  it.each([
    [undefined],
    [null],
    [42],
    [["https://example.com"]],
    [""],
    [" "],
    ["example.com/hook"],
    ["//example.com/hook"],
    ["/hook"],
    ["https"],
    ["://example.com"],
    [" https://example.com"],
    ["https://example.com "],
    ["https://example.com/a b"],
    ["https://exa\tmple.com"],
    ["https://example.com/\n"],
    ["https://example.com\r\nX-Evil: 1"],
    ["https://example.com/\0"],
    ["https://example.com/\u3000"],
    ["https://example.com/\ud800"],
    ["https:\\\\example.com"],
    ["https://example.com\\@127.0.0.1"],
    ["https://example.com/a\\b"],
    ["https://example.com:99999/"],
    ["https://example.com:0/"],
    ["https://example.com:-1/"],
    ["https://example.com:8x/"],
    ["https://:abc/"],
    ["https://:99999/"],
    ["https://[::1"],
    ["https://::1/"],
    ["https://[::g]/"],
    ["https://[fe80::1%25eth0]/"],
    ["https://256.1.1.1/"],
    ["https://1.2.3.4.5/"],
    ["https://exa<mple.com/"],
    ["https://exa%00mple.com/"],
    ["https://a..example.com/"],
    ["https://.example.com/"],
    ["https://./"],
    ["https://exam!ple.com/"],
    [`https://${"a".repeat(64)}.com/`],
    [`https://${"a.".repeat(127)}com/`],
    [long(2_049)],
  ])("%j", async (text) => {
    expect(await codeOf(text, publicName)).toBe("malformed_url");
    expect(await codeOf(text, publicName, true)).toBe("malformed_url");
  });

  it("takes 2,048 characters, counted as code points", async () => {
    expect(await codeOf(long(2_048), publicName)).toBe("accepted");
    expect(await codeOf(`https://example.com/${"😀".repeat(2_028)}`, publicName)).toBe("accepted");
    expect(await codeOf(`https://example.com/${"😀".repeat(2_029)}`, publicName)).toBe("malformed_url");
  });
});

describe("the order of refusals", () => {
  it.each([
    ["ftp://user@127.0.0.1/", "invalid_protocol"],
    ["javascript:alert(1)", "invalid_protocol"],
    ["file:///etc/passwd", "invalid_protocol"],
    ["mailto:a@example.com", "invalid_protocol"],
    ["wss://example.com/", "invalid_protocol"],
    ["localhost:8080/hook", "invalid_protocol"],
    ["http://user:pass@localhost/", "https_required_in_production"],
    ["http://example.com/", "https_required_in_production"],
    ["HTTP://127.0.0.1/", "https_required_in_production"],
    ["http://", "https_required_in_production"],
    ["https://user@/hook", "userinfo_not_allowed"],
    ["https://user:pass@127.0.0.1/", "userinfo_not_allowed"],
    ["https://user@example.com/", "userinfo_not_allowed"],
    ["https://:pass@example.com/", "userinfo_not_allowed"],
    ["https://@example.com/", "userinfo_not_allowed"],
    ["https://example.com@127.0.0.1/", "userinfo_not_allowed"],
    ["https://a@b@example.com/", "userinfo_not_allowed"],
    ["https:", "missing_host"],
    ["https://", "missing_host"],
    ["https:///", "missing_host"],
    ["https:///example.com/hook", "missing_host"],
    ["https:////example.com/hook", "missing_host"],
    ["https:example.com", "missing_host"],
    ["https:/example.com", "missing_host"],
    ["https://?x=1", "missing_host"],
    ["https://#x", "missing_host"],
    ["https://:443", "missing_host"],
    ["https://:443/hook", "missing_host"],
    ["https://:/hook", "missing_host"],
  ])("%s → %s", async (text, code) => {
    expect(await codeOf(text)).toBe(code);
  });
});

describe("private_hostname", () => {
  it.each([
    ["localhost"],
    ["LOCALHOST"],
    ["localhost."],
    ["localhost:8443"],
    ["receiver"],
    ["com"],
    ["a.localhost"],
    ["printer.local"],
    ["printer.local."],
    ["api.internal"],
    ["metadata.google.internal"],
    ["metadata.goog"],
    ["metadata.tencentyun.com"],
    ["router.home.arpa"],
    ["home.arpa"],
    ["loc%61lhost"],
    ["ｌｏｃａｌｈｏｓｔ"],
    ["local\u00adhost"],
    ["printer。local"],
  ])("https://%s/", async (host) => {
    expect(await codeOf(`https://${host}/`)).toBe("private_hostname");
  });

  it.each([["local.example.com"], ["internal.dev"], ["notlocalhost.com"], ["localhost.example.com"]])(
    "%s is an ordinary name",
    async (host) => {
      expect(await codeOf(`https://${host}/`, publicName)).toBe("accepted");
    },
  );
});

// Every notation that a URL parser takes for an address that isn't global unicast.
const REFUSED_IPV4 = `
  0.0.0.0 0.1.2.3 0 0x0 10.0.0.1 10.255.255.255 012.0.0.1 0xa.0.0.1 167772161 100.64.0.1 100.127.255.254 100.100.100.200
  127.0.0.1 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7f.1 0x7f.0.0.1 017700000001 0177.0.0.1 0177.0.0.01
  127.0.0.1. 0X7F.0.0.1 127。0。0。1 １２７.0.0.1 ①②⑦.0.0.1 %31%32%37.0.0.1 127%2e0.0.1
  169.254.0.1 169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518
  172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1
  192.168.257 3232235521 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255
  240.0.0.1 255.255.255.254 255.255.255.255 4294967295 0xffffffff 168.63.129.16`
  .trim()
  .split(/\s+/);

const REFUSED_IPV6 = `
  :: ::1 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::2 ::127.0.0.1 ::7f00:1 ::8.8.8.8
  ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:7F00:1 0:0:0:0:0:ffff:127.0.0.1 ::ffff:0.0.0.0 ::ffff:10.0.0.1 ::ffff:169.254.169.254
  ::ffff:100.64.0.1 ::ffff:168.63.129.16 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 ::5efe:7f00:1 2606:4700::5efe:7f00:1
  2606:4700::200:5efe:a00:1 64:ff9b::127.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::a00:1 100::1 100:0:0:1::1
  2001::1 2001:0:7f00:1:: 2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:db8::1 2001:1ff::1
  2002:7f00:1:: 2002:a00:1::1 2002:808:808::1 2620:4f:8000::1 3fff::1 4000::1 5f00::1 8000::1
  fc00::1 fd00:ec2::254 fd20:ce::254 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1
  ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`
  .trim()
  .split(/\s+/);

describe("address literals", () => {
  it("looks at more than 88 forms", () => {
    expect(REFUSED_IPV4.length + REFUSED_IPV6.length).toBeGreaterThan(88);
  });

  it.each(REFUSED_IPV4)("https://%s/ → private_ipv4", async (host) => {
    expect(await codeOf(`https://${host}/hook`)).toBe("private_ipv4");
    expect(await codeOf(`https://${host}:8443/hook`)).toBe("private_ipv4");
  });

  it.each(REFUSED_IPV6)("https://[%s]/ → private_ipv6", async (host) => {
    expect(await codeOf(`https://[${host}]/hook`)).toBe("private_ipv6");
  });

  it.each([
    ["8.8.8.8", "8.8.8.8"],
    ["134744072", "8.8.8.8"],
    ["1.1", "1.0.0.1"],
    ["172.32.0.1", "172.32.0.1"],
    ["100.128.0.1", "100.128.0.1"],
    ["[2606:4700::1111]", "2606:4700::1111"],
    ["[2001:4860:4860::8888]", "2001:4860:4860::8888"],
    ["[::ffff:8.8.8.8]", "8.8.8.8"],
    ["[2606:4700::5efe:808:808]", "2606:4700::5efe:808:808"],
  ])("https://%s/ is accepted and pinned to %s, without a look-up", async (host, pinned) => {
    const target = await checkTargetUrl(`https://${host}/`, {
      resolver: noLookup,
      allowPrivateTargets: false,
    });
    expect(target.addresses).toEqual([address(pinned)]);
  });
});

describe("names that DNS answers for", () => {
  const url = "https://hooks.example.com/in?a=1#frag";

  it("is accepted with every address pinned, the fragment gone", async () => {
    const resolver = answering("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946");
    const target = await checkTargetUrl(url, { resolver, allowPrivateTargets: false });
    expect(target).toMatchObject({
      href: "https://hooks.example.com/in?a=1",
      origin: "https://hooks.example.com",
      path: "/in?a=1",
      hostname: "hooks.example.com",
      port: 443,
      secure: true,
      literal: null,
      addresses: [address("93.184.216.34"), address("2606:2800:220:1:248:1893:25c8:1946")],
    });
  });

  it("asks for the name as DNS writes it", async () => {
    const asked: string[] = [];
    const resolver: TargetResolver = {
      resolve: async (host) => {
        asked.push(host);
        return [address("93.184.216.34")];
      },
    };
    await checkTargetUrl("https://BÜCHER.example./", { resolver, allowPrivateTargets: false });
    await checkTargetUrl("https://my_app.example:8443", { resolver, allowPrivateTargets: false });
    expect(asked).toEqual(["xn--bcher-kva.example", "my_app.example"]);
  });

  it.each([
    [[], "dns_no_records"],
    [["10.0.0.1"], "private_resolved_ipv4"],
    [["93.184.216.34", "10.0.0.1"], "private_resolved_ipv4"],
    [["93.184.216.34", "::1"], "private_resolved_ipv6"],
    [["fe80::1", "10.0.0.1"], "private_resolved_ipv4"],
    [["::ffff:127.0.0.1"], "private_resolved_ipv6"],
    [["64:ff9b::7f00:1"], "private_resolved_ipv6"],
    [["168.63.129.16"], "private_resolved_ipv4"],
    [["not an address"], "private_resolved_ipv4"],
  ])("%j → %s", async (addresses, code) => {
    expect(await codeOf(url, answering(...addresses))).toBe(code);
  });

  it("calls a failed look-up dns_lookup_failed, but an aborted one by its reason", async () => {
    expect(await codeOf(url)).toBe("dns_lookup_failed");
    const reason = new Error("shutting down");
    const deps = { resolver: noLookup, allowPrivateTargets: false, signal: AbortSignal.abort(reason) };
    await expect(checkTargetUrl(url, deps)).rejects.toBe(reason);
  });
});

describe("with private targets allowed", () => {
  it.each([["http://127.0.0.1:4000/hook"], ["https://[::1]/"], ["http://10.0.0.1/"], ["http://0.0.0.0/"]])(
    "%s is accepted without a look-up",
    async (url) => {
      expect(await codeOf(url, noLookup, true)).toBe("accepted");
    },
  );

  it("takes private names, and names that lead to private addresses", async () => {
    expect(await codeOf("http://localhost:4000/", answering("127.0.0.1", "::1"), true)).toBe("accepted");
    expect(await codeOf("https://hooks.example.com/", answering("10.0.0.1"), true)).toBe("accepted");
  });

  it.each([
    ["ftp://localhost/", "invalid_protocol"],
    ["http://user@localhost/", "userinfo_not_allowed"],
    ["http:///hook", "missing_host"],
    ["http://hooks.example.com/", "dns_lookup_failed"],
  ])("%s is still refused: %s", async (url, code) => {
    expect(await codeOf(url, noLookup, true)).toBe(code);
  });

  it("still says when a name has no records", async () => {
    expect(await codeOf("http://hooks.example.com/", answering(), true)).toBe("dns_no_records");
  });
});
