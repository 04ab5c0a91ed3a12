import { createBrand, createId, signToken } from "@muster/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Connector } from "../../domain/connectors/connector.js";
import type { Organization } from "../../domain/organizations/organization.js";
import { Sessions } from "../../members/sessions.js";
import { Organizations } from "../../organizations/organizations.js";
import { Platforms } from "../../platforms/platforms.js";
import { createVault } from "../../runtime/secrets/vault.js";
import { ConnectorStore } from "../../storage/postgres/connectors/connectors.js";
import { type Database, openDatabase } from "../../storage/postgres/database.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { type AuthenticateOptions, authenticate } from "./authenticate.js";
import type { RequestHead } from "./request-head.js";
import { Throttle } from "./throttle.js";

const NOW = 1_700_000_000_000;
const SECONDS = NOW / 1_000;
const ADMIN_TOKEN = "the operator's token";
const USER = createId("user");

let database: Database;
let options: AuthenticateOptions;
let acme: Organization;
let globex: Organization;
let connector: Connector;
let foreign: Connector;

beforeAll(async () => {
  const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
  database = openDatabase({ url: await createTestDatabase(), ...quiet });
  const connectors = new ConnectorStore(database, createVault("key"));
  const organizations = new Organizations(database);
  await organizations.create({ namespace: "default", name: "Default" });
  acme = await organizations.create({ namespace: "acme", name: "Acme" });
  globex = await organizations.create({ namespace: "globex", name: "Globex" });
  connector = await connectors.create(acme.id, { name: "CRM" });
  foreign = await connectors.create(globex.id, { name: "CRM" });
  options = {
    connectors,
    organizations,
    sessions: new Sessions(database),
    platforms: new Platforms({ database }),
    users: { findUserId: async (_organizationId, id) => id },
    brand: createBrand("Svc"),
    baseDomain: "muster.test",
    adminToken: ADMIN_TOKEN,
    userTokenMaxDays: 365,
    throttle: new Throttle(1_000_000),
  };
});
afterAll(() => database.close());

interface Credentials {
  headers?: Record<string, string>;
  query?: Record<string, unknown>;
}

function call({ headers = {}, query = {} }: Credentials, changes: Partial<AuthenticateOptions> = {}, now = NOW) {
  const head: RequestHead = { headers: { host: "acme.muster.test", ...headers }, query, ip: "192.0.2.1" };
  return authenticate({ ...options, ...changes }, head, now);
}

function token(changes: Record<string, unknown> = {}, secret = connector.secret): string {
  const claims = {
    iss: connector.id,
    iat: SECONDS,
    "io.svc.subjectType": "user",
    "io.svc.asUser": { email: "ann@example.com" },
  };
  return signToken({ ...claims, ...changes }, secret);
}

describe("a connector", () => {
  test.each<[string, () => Credentials]>([
    ["headers", () => ({ headers: { "svc-app-id": connector.id, "svc-access-token": connector.secret } })],
    ["the query parameters id and secret", () => ({ query: { id: connector.id, secret: connector.secret } })],
    ["app_id and access_token", () => ({ query: { app_id: connector.id, access_token: connector.secret } })],
    [
      "ship and secret, as scheduled calls get them",
      () => ({ query: { ship: connector.id, secret: connector.secret } }),
    ],
    [
      "its id in a header and its secret in the query",
      () => ({
        headers: { "svc-app-id": connector.id },
        query: { secret: connector.secret },
      }),
    ],
  ])("is recognized by %s", async (_way, shown) => {
    const caller = await call(shown());
    expect(caller).toMatchObject({ kind: "connector", organization: { id: acme.id }, connector: { id: connector.id } });
    expect(caller).not.toHaveProperty("subject");
  });

  test("acts on behalf of the user of Svc-User-Id", async () => {
    const headers = { "svc-app-id": connector.id, "svc-access-token": connector.secret, "svc-user-id": USER };
    expect(await call({ headers })).toMatchObject({
      kind: "connector",
      claims: { subjectType: "user", subjectId: USER, create: false },
    });
  });

  test.each<[string, () => Credentials]>([
    ["a wrong secret", () => ({ headers: { "svc-app-id": connector.id, "svc-access-token": "wrong" } })],
    [
      "another connector's secret",
      () => ({ headers: { "svc-app-id": connector.id, "svc-access-token": foreign.secret } }),
    ],
    ["an unknown id", () => ({ headers: { "svc-app-id": "0".repeat(24), "svc-access-token": connector.secret } })],
    ["no id", () => ({ headers: { "svc-access-token": connector.secret } })],
    [
      "its secret twice in the query",
      () => ({ query: { id: connector.id, secret: [connector.secret, connector.secret], access_token: "x" } }),
    ],
    ["an object as its secret", () => ({ query: { id: connector.id, secret: {}, access_token: "x" } })],
    ["the operator's token", () => ({ headers: { "svc-app-id": connector.id, "svc-access-token": ADMIN_TOKEN } })],
  ])("is refused with %s", async (_way, shown) => {
    await expect(call(shown())).rejects.toMatchObject({ status: 401, code: "unauthorized" });
  });

  test("is refused in another organization, by host and by header", async () => {
    const headers = { "svc-app-id": connector.id, "svc-access-token": connector.secret };
    await expect(call({ headers: { ...headers, host: "globex.muster.test" } })).rejects.toMatchObject({ status: 401 });
    await expect(call({ headers: { ...headers, "svc-organization": globex.id } })).rejects.toMatchObject({
      status: 401,
    });
  });
});

describe("a user or account with a token", () => {
  test("is the user that the token names, with or without the connector's id", async () => {
    const shown = { "svc-access-token": token() };
    for (const headers of [shown, { ...shown, "svc-app-id": connector.id }]) {
      expect(await call({ headers })).toMatchObject({
        kind: "subject",
        connector: { id: connector.id },
        claims: { subjectType: "user", asUser: { email: "ann@example.com" } },
      });
    }
  });

  test("may send it as access_token in the query", async () => {
    expect(await call({ query: { access_token: token() } })).toMatchObject({ kind: "subject" });
  });

  test("can be an account", async () => {
    const shown = token({
      "io.svc.subjectType": "account",
      "io.svc.asUser": undefined,
      "io.svc.asAccount": { domain: "example.com" },
    });
    expect(await call({ headers: { "svc-access-token": shown } })).toMatchObject({
      kind: "subject",
      claims: { subjectType: "account", asAccount: { domain: "example.com" } },
    });
  });

  test("has the connector's access with the scope admin, and acts as the user", async () => {
    expect(await call({ headers: { "svc-access-token": token({ scopes: ["admin"] }) } })).toMatchObject({
      kind: "connector",
      claims: { asUser: { email: "ann@example.com" } },
    });
  });

  test("has no more access with another scope", async () => {
    const shown = token({ scopes: ["administrator", "ADMIN"] });
    expect(await call({ headers: { "svc-access-token": shown } })).toMatchObject({ kind: "subject" });
  });

  test("is accepted from the start of the token's validity until it expires", async () => {
    const valid = token({ exp: SECONDS + 1, nbf: SECONDS });
    expect(await call({ headers: { "svc-access-token": valid } })).toMatchObject({ kind: "subject" });
  });

  const unsigned = (header: object) => {
    const [, payload] = token().split(".");
    return `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}.`;
  };
  test.each<[string, () => string]>([
    ["has expired", () => token({ exp: SECONDS })],
    ["is not valid yet", () => token({ nbf: SECONDS + 60 })],
    ["is signed with another key", () => token({}, "another key")],
    ["is signed by another organization's connector", () => token({}, foreign.secret)],
    ["says alg none", () => unsigned({ alg: "none" })],
    [
      "says RS256",
      () => `${Buffer.from('{"alg":"RS256"}').toString("base64url")}.${token().split(".").slice(1).join(".")}`,
    ],
    [
      "was tampered with",
      () => {
        const [header, , signature] = token().split(".");
        const payload = Buffer.from(
          JSON.stringify({
            iss: connector.id,
            iat: SECONDS,
            "io.svc.subjectType": "user",
            scopes: ["admin"],
            sub: "x",
          }),
        ).toString("base64url");
        return `${header}.${payload}.${signature}`;
      },
    ],
    ["has no iat", () => token({ iat: undefined })],
    ["has no subjectType", () => token({ "io.svc.subjectType": undefined })],
    ["has no identifier", () => token({ "io.svc.asUser": {} })],
    [
      "carries claims of another brand",
      () =>
        signToken(
          { iss: connector.id, iat: SECONDS, "io.hull.subjectType": "user", "io.hull.asUser": { email: "a@b.c" } },
          connector.secret,
        ),
    ],
  ])("is refused when the token %s", async (_what, make) => {
    await expect(call({ headers: { "svc-access-token": make() } })).rejects.toMatchObject({
      status: 401,
      code: "invalid_token",
    });
  });

  test("is refused without iss, also when the connector's id is sent", async () => {
    const shown = token({ iss: undefined });
    await expect(call({ headers: { "svc-access-token": shown } })).rejects.toMatchObject({ status: 401 });
    const headers = { "svc-app-id": connector.id, "svc-access-token": shown };
    await expect(call({ headers })).rejects.toMatchObject({ status: 401, code: "invalid_token" });
  });

  test("is refused when the token was issued by another connector than the one in the request", async () => {
    const headers = { "svc-app-id": connector.id, "svc-access-token": token({ iss: foreign.id }) };
    await expect(call({ headers })).rejects.toMatchObject({ status: 401, code: "invalid_token" });
  });

  test("is refused in another organization", async () => {
    const headers = { host: "globex.muster.test", "svc-access-token": token() };
    await expect(call({ headers })).rejects.toMatchObject({ status: 401, code: "unauthorized" });
  });
});

describe("the operator", () => {
  test("is recognized by the admin token, in the organization that the request names", async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    expect(await call({ headers })).toMatchObject({ kind: "operator", organization: { id: acme.id } });
    expect(await call({ headers: { ...headers, "svc-organization": "globex" } })).toMatchObject({
      kind: "operator",
      organization: { id: globex.id },
    });
  });

  test.each(["Bearer wrong", "bearer ", `Bearer ${ADMIN_TOKEN}x`])("is not recognized by %j", async (authorization) => {
    const attempt = await call({ headers: { authorization } }).catch((error: unknown) => error);
    expect(attempt).not.toMatchObject({ kind: "operator" });
  });
});

describe("the organization", () => {
  const reach = (headers: Record<string, string>) => call({ headers: { host: "127.0.0.1:8080", ...headers } });

  test.each<[string, () => Record<string, string>, string]>([
    ["an id in the header", () => ({ "svc-organization": acme.id }), "acme"],
    ["a namespace in the header", () => ({ "svc-organization": "acme" }), "acme"],
    ["a namespace in capitals", () => ({ "svc-organization": "Acme" }), "acme"],
    ["a host in the header", () => ({ "svc-organization": "acme.muster.test" }), "acme"],
    ["a host with a port in the header", () => ({ "svc-organization": "acme.muster.test:8443" }), "acme"],
    ["the Host header", () => ({ host: "acme.muster.test:8080" }), "acme"],
    ["the header over the Host header", () => ({ host: "globex.muster.test", "svc-organization": "acme" }), "acme"],
    ["a host that names no organization: the default one", () => ({}), "default"],
    ["the base domain itself: the default one", () => ({ host: "muster.test" }), "default"],
    ["the gateway's host: the default one", () => ({ host: "firehose.muster.test" }), "default"],
  ])("is found by %s", async (_way, headers, namespace) => {
    expect(await reach(headers())).toMatchObject({ kind: "anonymous", organization: { namespace } });
  });

  test.each([
    ["an unknown namespace", { "svc-organization": "nobody" }],
    ["an unknown id", { "svc-organization": "0123456789ab0123456789ab" }],
    ["an unknown host", { host: "nobody.muster.test" }],
  ])("that is %s is refused", async (_way, headers) => {
    await expect(reach(headers)).rejects.toMatchObject({ status: 401, code: "unauthorized" });
  });

  describe("that is disabled", () => {
    beforeEach(async () => {
      await database.query("update organizations set enabled = false where id = $1", [acme.id]);
      return () => database.query("update organizations set enabled = true where id = $1", [acme.id]);
    });

    test.each<[string, () => Credentials]>([
      ["its connectors", () => ({ headers: { "svc-app-id": connector.id, "svc-access-token": connector.secret } })],
      ["users with a token", () => ({ headers: { "svc-access-token": token() } })],
      ["anonymous callers", () => ({})],
    ])("answers 402 to %s", async (_who, shown) => {
      await expect(call(shown())).rejects.toMatchObject({ status: 402, code: "organization_disabled" });
    });
  });
});

test("with another brand credentials are read from that brand's headers only", async () => {
  const brand = createBrand("Hull");
  const hull = { "hull-app-id": connector.id, "hull-access-token": connector.secret };
  expect(await call({ headers: hull }, { brand })).toMatchObject({ kind: "connector" });
  const svc = { "svc-app-id": connector.id, "svc-access-token": connector.secret };
  expect(await call({ headers: svc }, { brand })).toMatchObject({ kind: "anonymous" });
});

test("failed attempts count for the limit of an address; right ones always work, and missing ones are not counted", async () => {
  const throttle = new Throttle(2);
  const good = { headers: { "svc-app-id": connector.id, "svc-access-token": connector.secret } };
  const bad = { headers: { "svc-app-id": connector.id, "svc-access-token": "wrong" } };
  await call(good, { throttle });
  await call({}, { throttle });
  await expect(call(bad, { throttle })).rejects.toMatchObject({ status: 401 });
  await expect(call(bad, { throttle })).rejects.toMatchObject({ status: 401 });
  await expect(call(bad, { throttle })).rejects.toMatchObject({ status: 429, retryAfter: expect.any(Number) });
  expect(await call(good, { throttle })).toMatchObject({ kind: "connector" });
});

test("an address is refused for a minute at most, also when the clock is set back", async () => {
  const throttle = new Throttle(1);
  const bad = { headers: { "svc-app-id": connector.id, "svc-access-token": "wrong" } };
  await expect(call(bad, { throttle })).rejects.toMatchObject({ status: 401 });
  const refused = await call(bad, { throttle }, NOW - 3_600_000).catch((error: { retryAfter: number }) => error);
  expect(refused).toMatchObject({ status: 429 });
  expect(refused).toHaveProperty(
    "retryAfter",
    expect.toSatisfy((seconds: number) => seconds <= 60),
  );
});
