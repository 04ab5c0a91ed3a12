import { expect, test } from "vitest";
import { Addresses } from "./addresses.js";

test("all addresses start with the public URL, without a slash at its end", () => {
  const addresses = new Addresses("https://muster.example.com/", "muster.example.com");
  expect(addresses.publicUrl).toBe("https://muster.example.com");
  expect(addresses.firehoseUrl).toBe("https://muster.example.com/firehose");
  expect(addresses.organizationHost("default")).toBe("muster.example.com");
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
