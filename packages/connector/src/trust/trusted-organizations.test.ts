import { describe, expect, it } from "vitest";
import { listOrganizations, TrustedOrganizations } from "./trusted-organizations.js";

describe("a connector", () => {
  it.each([
    ["acme.example.com", "acme.example.com"],
    ["acme.example.com", "ACME.example.com"],
    ["https://acme.example.com/", "acme.example.com"],
    ["acme.example.com:8443", "acme.example.com:8443"],
    ["*.example.com", "acme.example.com"],
    ["muster.example.com", "default.muster.example.com"],
    ["default.muster.example.com:8443", "muster.example.com:8443"],
    ["localhost:8080", "127.0.0.1:8080"],
    ["localhost:8080", "default.localhost:8080"],
    ["http://127.0.0.1:8080", "acme.localhost:8080"],
  ])("that serves %s serves %s", (entry, organization) => {
    expect(new TrustedOrganizations([entry]).allows(organization)).toBe(true);
  });

  it.each([
    ["acme.example.com", "evil.com"],
    ["acme.example.com", "acme.example.com.evil.com"],
    ["acme.example.com", "x.acme.example.com"],
    ["acme.example.com", "acme.example.com:8443"],
    ["default.com", "com"],
    ["muster.example.com", "default.other.example.com"],
    ["*.example.com", "example.com"],
    ["*.example.com", "notexample.com"],
    ["*.example.com", "acme.example.com:8443"],
    ["*.example.com", "*.example.com.evil.com"],
    ["localhost:8080", "127.0.0.1:8081"],
    ["localhost:8080", "127.0.0.1"],
    ["localhost:8080", "localhost.evil.com:8080"],
  ])("that serves %s does not serve %s", (entry, organization) => {
    expect(new TrustedOrganizations([entry]).allows(organization)).toBe(false);
  });

  it("serves nobody as long as no organization is listed", () => {
    const none = new TrustedOrganizations(listOrganizations(undefined, {}));
    expect([none.isEmpty, none.allows("localhost:8080"), none.allows("")]).toEqual([true, false, false]);
  });

  it.each(["*", "*.com", "acme.example.com/path", "ftp://acme.example.com", "two words"])(
    "cannot be told to serve %j",
    (entry) => {
      expect(() => new TrustedOrganizations([entry])).toThrow("is not a host");
    },
  );
});

it("takes the organizations of the option, or else those of the environment", () => {
  const environment = { ORGANIZATIONS: " a.example.com, ,b.example.com " };
  expect(listOrganizations(undefined, environment)).toEqual(["a.example.com", "b.example.com"]);
  expect(listOrganizations(["c.example.com"], environment)).toEqual(["c.example.com"]);
});

describe("an address", () => {
  const trusted = (...entries: string[]) => new TrustedOrganizations(entries);
  it.each([
    ["https://acme.example.com/keys/1", "acme.example.com", ["acme.example.com"]],
    ["https://muster.example.com/keys/1", "acme.example.com", ["*.example.com"]],
    ["https://muster.example.com/keys/1", "acme.example.com", ["acme.example.com", "muster.example.com"]],
    ["https://example.com/keys/1", "acme.example.com", ["example.com", "acme.example.com"]],
    ["https://m.example.com/keys/1", "acme.m.example.com", ["m.example.com", "acme.m.example.com"]],
    ["https://m.example.com/keys/1", "default.m.example.com", ["m.example.com"]],
    ["https://m.example.com/keys/1", "default.m.example.com", ["default.m.example.com"]],
    ["http://127.0.0.1:8080/keys/1", "acme.localhost:8080", ["localhost:8080"]],
  ])("%s is of the platform of %s", (url, organization, entries) => {
    expect(trusted(...entries).ownsUrl(url, organization)).toBe(true);
  });

  it.each([
    ["https://evil.com/keys/1", "acme.example.com", ["acme.example.com"]],
    // Anybody can have a host in such a domain.
    ["https://evil.co.uk/keys/1", "acme.co.uk", ["acme.co.uk"]],
    ["https://muster.example.com/keys/1", "acme.example.com", ["acme.example.com"]],
    ["https://m.example.com/keys/1", "acme.m.example.com", ["acme.m.example.com"]],
    ["https://other.example.net/keys/1", "acme.example.com", ["acme.example.com", "other.example.net"]],
    ["http://acme.example.com/keys/1", "acme.example.com", ["acme.example.com"]],
    ["https://acme.example.com@evil.com/", "acme.example.com", ["acme.example.com"]],
    ["https://me:you@acme.example.com/", "acme.example.com", ["acme.example.com"]],
    ["http://127.0.0.1:9000/keys/1", "localhost:8080", ["localhost:8080"]],
    ["http://127.0.0.1/keys/1", "acme.example.com", ["acme.example.com", "localhost"]],
    ["file:///etc/passwd", "acme.example.com", ["acme.example.com"]],
    ["not an address", "acme.example.com", ["acme.example.com"]],
  ])("%s is not of the platform of %s", (url, organization, entries) => {
    expect(trusted(...entries).ownsUrl(url, organization)).toBe(false);
  });

  it("may have the scheme http when the platform is reached by http", () => {
    const plain = new TrustedOrganizations(["muster.internal:8080"], { protocol: "http" });
    expect(plain.ownsUrl("http://muster.internal:8080/keys/1", "muster.internal:8080")).toBe(true);
  });
});
