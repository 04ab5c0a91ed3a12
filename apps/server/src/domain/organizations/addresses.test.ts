import { expect, test } from "vitest";
import { Addresses, listeningUrl } from "./addresses.js";
import { organizationReference } from "./organization-reference.js";

test("all addresses start with the public URL, without a slash at its end", () => {
  const addresses = new Addresses("https://muster.example.com/", "muster.example.com");
  expect(addresses.publicUrl).toBe("https://muster.example.com");
  expect(addresses.firehoseUrl).toBe("https://muster.example.com/firehose");
  expect(addresses.organizationHost("acme")).toBe("acme.muster.example.com");
});

test("port 0 is replaced by the real port once the server listens, and another port stays", () => {
  const free = new Addresses("http://127.0.0.1:0", "localhost");
  free.listeningOn(4711);
  expect(free.publicUrl).toBe("http://127.0.0.1:4711");
  expect(free.organizationHost("acme")).toBe("acme.localhost:4711");

  const proxied = new Addresses("https://muster.example.com", "muster.example.com");
  proxied.listeningOn(8080);
  expect(proxied.publicUrl).toBe("https://muster.example.com");
});

test.each([
  ["https://example.test", "example.test", "default.example.test"],
  ["https://example.test:8443/", "example.test", "default.example.test:8443"],
  ["https://app.example.test", "example.test", "default.example.test"],
  ["https://muster.example.com", "localhost", "default.muster.example.com"],
  ["http://localhost:8080", "localhost", "default.localhost:8080"],
  ["https://default.example.test", "example.test", "default.example.test"],
  ["https://default.example.test", "localhost", "default.example.test"],
  // An address takes no label.
  ["http://127.0.0.1:8080", "localhost", "127.0.0.1:8080"],
  ["http://[::1]:8080", "localhost", "[::1]:8080"],
])("at %s under %s, the default organization has the host %s", (publicUrl, baseDomain, expected) => {
  const host = new Addresses(publicUrl, baseDomain).organizationHost("default");
  expect(host).toBe(expected);
  // Clients send this host back. It must mean the same organization, and so must the gateway that they derive from it.
  expect(organizationReference(host, undefined, baseDomain)).toBe("default");
  const gateway = host.replace(/^[^.]*/, "firehose");
  expect(organizationReference(undefined, gateway, baseDomain)).toBe("default");
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:8080"],
  ["0.0.0.0", "http://localhost:8080"],
  ["::", "http://localhost:8080"],
  ["::1", "http://[::1]:8080"],
])("a server that listens on %s gives clients %s", (host, url) => {
  expect(listeningUrl({ protocol: "http", host, port: 8080 })).toBe(url);
});
