import { expect, it } from "vitest";
import { isKeyOfOrganization } from "./is-key-of-organization.js";

it.each([
  ["https://acme.example.com/keys/1", "acme.example.com"],
  ["https://acme.example.com:8443/keys/1", "ACME.example.com:8080"],
  ["https://muster.example.com/keys/1", "acme.example.com"],
  ["https://example.com/keys/1", "acme.example.com"],
  ["http://127.0.0.1:8080/keys/1", "acme.localhost:8080"],
  ["http://localhost:8080/keys/1", "127.0.0.1:8080"],
])("a key at %s may sign for %s", (url, organization) => {
  expect(isKeyOfOrganization(url, organization)).toBe(true);
});

it.each([
  ["https://evil.com/keys/1", "acme.example.com"],
  ["https://acme.example.com.evil.com/keys/1", "acme.example.com"],
  ["https://notexample.com/keys/1", "acme.example.com"],
  ["https://other.com/keys/1", "example.com"],
  ["http://127.0.0.1/keys/1", "acme.example.com"],
  ["https://evil.com/keys/1", "acme.localhost"],
  ["file:///etc/passwd", "acme.example.com"],
  ["javascript:alert(1)", "acme.localhost"],
  ["not an address", "acme.example.com"],
])("a key at %s may not sign for %s", (url, organization) => {
  expect(isKeyOfOrganization(url, organization)).toBe(false);
});
