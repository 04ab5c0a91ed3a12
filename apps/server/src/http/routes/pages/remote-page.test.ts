import { expect, test } from "vitest";
import { domainPatterns, remotePage, remotePolicy } from "./remote-page.js";

test("no value of the configuration ends the script", () => {
  const { html } = remotePage({
    script: 'https://shop.test/x.js?a="><script>alert(1)</script>',
    brandWord: "Hull",
    config: { name: "</script><script>alert(1)</script>\u2028" },
  });
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html.match(/<\/script>/g)).toHaveLength(2);
});

const policyOf = (domains: string[]) =>
  remotePolicy({ platform: { id: "platform-1", domains }, host: "acme.muster.test:8080", nonce: "n" });

test("the script of a site reaches the calls of the library and nothing else of the server", () => {
  const policy = policyOf(["shop.test"]);
  const sources = /connect-src ([^;]+)/.exec(policy)?.[1]?.split(" ") ?? [];
  expect(sources).toContain("acme.muster.test:8080/api/v1/me/");
  expect(sources.every((source) => source.startsWith("acme.muster.test:8080/api/v1/"))).toBe(true);
  expect(sources.filter((source) => "acme.muster.test:8080/api/v1/session".startsWith(source))).toEqual([]);
  expect(policy).toContain("sandbox allow-scripts allow-same-origin;");
});

test("the page may be framed by pages of the platform only", () => {
  const domains = ["shop.test", "*.blog.test"];
  expect(policyOf(domains)).toContain(
    "frame-ancestors http://shop.test:* https://shop.test:* http://*.blog.test:* https://*.blog.test:*",
  );
  expect(policyOf(["localhost:8081"])).toContain("frame-ancestors http://localhost:8081 https://localhost:8081");
  expect(policyOf([])).toContain("frame-ancestors 'none'");
});

test.each([
  ["https://shop.test", true],
  ["http://shop.test:8080", true],
  ["https://www.blog.test", true],
  ["https://a.b.blog.test", true],
  ["https://blog.test", false],
  ["https://shopxtest", false],
  ["https://evil.test/shop.test", false],
  ["https://shop.test.evil.test", false],
  ["http://localhost:8081", true],
  ["http://localhost:80811", false],
])("the old library's test of the origin %s: %s", (origin, isAllowed) => {
  const patterns = domainPatterns({ domains: ["shop.test", "*.blog.test", "localhost:8081"] });
  expect(patterns.some((pattern) => new RegExp(pattern).test(origin))).toBe(isAllowed);
});
