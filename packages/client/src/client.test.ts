import { createBrand, readClaims, verifyToken } from "@muster/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AccountClient } from "./account-client.js";
import { Client } from "./client.js";
import { CONNECTOR_ID, SECRET } from "./testing/fake-gateway.js";
import { UserClient } from "./user-client.js";

const client = new Client({ id: CONNECTOR_ID, secret: SECRET, organization: "acme.example.com" });

/** Calls with arguments that the types forbid, as plain JavaScript can. */
function loosely(method: "asUser" | "asAccount", claims: unknown, additional?: unknown) {
  return () => client[method](claims as never, additional as never);
}

function claimsOf(token: string, brandWord = "Svc") {
  const payload = verifyToken(token, SECRET, Date.now());
  if (typeof payload === "string") throw new Error(payload);
  const claims = readClaims(createBrand(brandWord), payload);
  if (typeof claims === "string") throw new Error(claims);
  return { payload, claims };
}

describe("asUser", () => {
  it.each(["id", "external_id", "email", "anonymous_id", "domain"])("takes %s for a claim", (identifier) => {
    expect(client.asUser({ [identifier]: "someone" })).toBeInstanceOf(UserClient);
  });

  it.each([undefined, null, "", " ", 5, {}, { name: "Ada" }, { email: "" }, { email: null }])(
    "throws without a valid claim: %j",
    (claims) => {
      expect(loosely("asUser", claims)).toThrow("have no identifier");
    },
  );

  it("throws for a claim that is no string", () => {
    expect(loosely("asUser", { email: { address: "ada@example.com" } })).toThrow("`email` must be a string");
  });

  it.each([
    [{ create: "no" }, "`create`"],
    [{ active: 1 }, "`active`"],
    [{ scopes: "admin" }, "`scopes`"],
    [{ scopes: [1] }, "`scopes`"],
  ])("throws for additional claims it cannot use: %j", (additional, name) => {
    expect(loosely("asUser", { email: "ada@example.com" }, additional)).toThrow(name);
  });
});

describe("asAccount", () => {
  it.each(["id", "external_id", "domain", "anonymous_id"])("takes %s for a claim", (identifier) => {
    expect(client.asAccount({ [identifier]: "someone" })).toBeInstanceOf(AccountClient);
  });

  it.each([undefined, null, "", {}, { email: "ada@example.com" }])("throws without a valid claim: %j", (claims) => {
    expect(loosely("asAccount", claims)).toThrow("have no identifier");
  });
});

describe("account", () => {
  it("adds the account's claims to the user's client, whose calls stay about the user", () => {
    const linked = client.asUser({ email: "ada@example.com" }, { create: false }).account({ domain: "example.com" });
    expect(linked).toBeInstanceOf(UserClient);
    expect(claimsOf(linked.token()).claims).toMatchObject({
      subjectType: "user",
      asUser: { email: "ada@example.com" },
      asAccount: { domain: "example.com" },
      create: false,
    });
  });

  it("throws without a valid claim", () => {
    expect(() => client.asUser({ email: "ada@example.com" }).account({})).toThrow(
      "The account claims have no identifier",
    );
  });
});

describe("token", () => {
  it("is signed with the secret and carries the claims", () => {
    const now = vi.spyOn(Date, "now").mockReturnValue(1_767_225_600_123);
    onTestFinished(() => now.mockRestore());
    const user = client.asUser({ email: "ada@example.com", external_id: "42" }, { scopes: ["admin"], active: true });
    const { claims, payload } = claimsOf(user.token());
    expect(claims).toEqual({
      issuer: CONNECTOR_ID,
      issuedAt: 1_767_225_600,
      subjectType: "user",
      asUser: { email: "ada@example.com", external_id: "42" },
      create: true,
      active: true,
      scopes: ["admin"],
    });
    expect(payload).not.toHaveProperty("io.svc.create");
  });

  it("has the subject's id as `sub` when the id is given", () => {
    const account = client.asAccount("0198c2a4f1d011a1b2c3d4e5");
    expect(claimsOf(account.token()).claims).toMatchObject({
      subjectType: "account",
      subjectId: "0198c2a4f1d011a1b2c3d4e5",
      asAccount: { id: "0198c2a4f1d011a1b2c3d4e5" },
    });
  });

  it("accepts further claims, and times between which it is valid", () => {
    const exp = Math.floor(Date.now() / 1_000) + 60;
    const token = client.asUser({ email: "ada@example.com" }).token({ create: false, exp, nbf: exp - 120 });
    expect(claimsOf(token).claims.create).toBe(false);
    expect(claimsOf(token).payload).toMatchObject({ exp, nbf: exp - 120 });
    expect(verifyToken(token, SECRET, (exp + 1) * 1_000)).toBe("The token has expired.");
  });

  it("throws for a time that is not a number", () => {
    expect(() => client.asUser({ email: "a@b.c" }).token({ exp: Number.NaN })).toThrow("`exp`");
  });

  it("needs the email of a user; an account may have any identifier", () => {
    expect(() => client.asUser({ external_id: "42" }).token()).toThrow("`email`");
    expect(claimsOf(client.asAccount({ domain: "example.com" }).token()).claims.subjectType).toBe("account");
  });

  it("uses the claim names of the client's brand", () => {
    const hull = new Client({ ...client.configuration(), brand: "Hull" });
    const { claims, payload } = claimsOf(hull.asUser({ email: "ada@example.com" }).token(), "Hull");
    expect(claims.asUser).toEqual({ email: "ada@example.com" });
    expect(payload).toHaveProperty(["io.hull.subjectType"], "user");
  });
});
