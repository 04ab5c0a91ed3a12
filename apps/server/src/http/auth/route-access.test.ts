import { createBrand, createId, type ObjectType, signToken } from "@muster/protocol";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runJob } from "../../testing/bulk.js";
import { OBJECT_RULES, ROUTE_RULES, type Rule } from "../../testing/route-rules.js";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import type { Access } from "./caller.js";

const { headers: names, claims } = createBrand("Svc");

let server: TestServer;
/** Objects of the default organization. Those that belong to a connector belong to the first one. */
let ids: Record<string, string>;
let owner: Sender;
let colleague: Sender;
let stranger: Sender;
let endUser: Record<string, string>;

beforeAll(async () => {
  server = await openTestServer();
  owner = new Sender(server);
  stranger = await openOrganization(server, "globex");
  const { id, secret } = await create("/connectors", { name: "Colleague" });
  colleague = new Sender(server, { id: id ?? "", secret: secret ?? "" });
  ids = await createObjects();
  endUser = { [names.accessToken]: owner.token({ user: { email: "ann@example.com" } }) };
});
afterAll(() => server.close());

async function create(path: string, payload: object, headers = server.operatorHeaders) {
  const answer = await server.app.inject({ method: "POST", url: `/api/v1${path}`, headers, payload });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  return answer.json<Record<string, string>>();
}

async function createObjects(): Promise<Record<string, string>> {
  const bob = { user: { email: "bob@example.com" }, account: { domain: "acme.example" } };
  await owner.settle([
    owner.traits(bob, { plan: "pro" }),
    owner.traits({ user: { email: "ann@example.com" } }, { plan: "free" }),
    owner.track(bob, "Opened"),
  ]);
  const user = await owner.user(bob.user);
  const [event] = await owner.events({ event: "Opened" });
  const segment = (name: string) => ({ name, query: {}, predicate: {} });
  const platform = (await create("/platforms", { name: "Site" })).id;
  const objects = {
    organization: server.first.organization.id,
    connector: server.first.connector.id,
    user: user.id,
    account: (user.account as { id: string }).id,
    event: event?.id,
    users_segment: (await create("/users_segments", segment("All users"), owner.headers)).id,
    accounts_segment: (await create("/accounts_segments", segment("All accounts"), owner.headers)).id,
    comment: (await create(`/${user.id}/comments`, { text: "x" }, owner.headers)).id,
    computed_attribute: (
      await create(
        "/computed_attributes",
        { target: "user", name: "opened", compute: { count: { event: "Opened" } } },
        owner.headers,
      )
    ).id,
    entity: (await create("/app/entities", { uid: "1" }, owner.headers)).id,
    job: (await runJob(server, "/extract/users", { url: null, format: "json", query: {} })).id,
    platform,
    deployment: (await create(`/${platform}/deployments`, { connector_id: server.first.connector.id })).id,
  };
  return objects as Record<string, string>;
}

function ruleOf(row: (typeof ROUTE_RULES)[string]): [Rule, ObjectType?, object?] {
  return typeof row === "string" ? [row] : row;
}

/** The declaration that a rule needs; that of an owner is checked by the route itself. */
const accessOf = (rule: Rule): Access => (rule === "owner" ? "connector" : rule);

/** What a route needs in its query string. */
function queryOf(route: string): string {
  if (route.includes("uploads/")) return "?offset=0";
  return route.endsWith("/as_of") ? "?at=2026-01-01T00:00:00Z" : "";
}

function requestOf(route: string, id: string, body: object | undefined): InjectOptions {
  const [method = "", path = ""] = route.split(" ");
  const url = path
    .replace(":segment_id", ids.users_segment ?? "")
    .replace(":number", "1")
    .replace(/:\w+|\*$/g, id);
  return {
    method: method as "GET",
    url: url + queryOf(route),
    ...(path === "/" ? { headers: { host: "firehose.localhost" } } : {}),
    ...(["POST", "PUT"].includes(method) ? { payload: body ?? {} } : {}),
  };
}

async function statusOf(request: InjectOptions, headers: Record<string, string>): Promise<number> {
  const answer = await server.app.inject({ ...request, headers: { ...headers, ...request.headers } });
  return answer.statusCode;
}

/** Everything that a caller without the right could have changed. */
async function state(): Promise<unknown> {
  const url = (id: string) => `/api/v1/${id}`;
  const read = async (id: string) => {
    const headers = server.operatorHeaders;
    const { indexed_at: _, ...record } = (await server.app.inject({ url: url(id), headers })).json();
    return record;
  };
  const { rows } = await server.database.query(
    `select (select count(*) from connectors) as connectors, (select count(*) from entities) as entities,
       (select count(*) from comments) as comments, (select count(*) from jobs) as jobs,
       (select count(*) from connector_logs) as logs, (select count(*) from organizations) as organizations`,
  );
  return [rows, await Promise.all(Object.values(ids).map(read))];
}

test("the table of this test has every route of the server, with the access that the route declares", async () => {
  const declared = [...server.app.declaredAccess].filter(([route]) => !route.startsWith("HEAD "));
  const stated = Object.entries(ROUTE_RULES).map(([route, row]) => [route, accessOf(ruleOf(row)[0])]);
  // Paths that exist with another method are open, because they only say so.
  const others = declared.filter(([route, access]) => access === "open" && !Object.hasOwn(ROUTE_RULES, route));
  const answers = others.map(async ([route]) => {
    return [route, await statusOf(requestOf(route, createId("comment"), undefined), {})] as const;
  });
  expect(Object.fromEntries(declared.filter((entry) => !others.includes(entry)))).toEqual(Object.fromEntries(stated));
  expect((await Promise.all(answers)).filter(([, status]) => status !== 405)).toEqual([]);
});

test("a HEAD request needs what the GET request needs", () => {
  const declared = server.app.declaredAccess;
  const heads = [...declared].filter(([route]) => route.startsWith("HEAD "));
  expect(heads.length).toBeGreaterThan(10);
  expect(heads.filter(([route, access]) => access !== declared.get(route.replace("HEAD", "GET")))).toEqual([]);
});

describe("a caller without the right to use a route is refused, and nothing changes:", () => {
  const rows = Object.entries(ROUTE_RULES).map(([route, row]) => [route, ...ruleOf(row)] as const);
  const refused = async (
    chosen: Rule[],
    headers: Record<string, string>,
    expected: number[],
  ): Promise<(readonly [string, number])[]> => {
    const before = await state();
    const calls = rows
      .filter(([, rule]) => chosen.includes(rule))
      .map(async ([route, , type, body]) => {
        const request = requestOf(route, ids[type ?? "connector"] ?? "", body);
        return [route, await statusOf(request, headers)] as const;
      });
    const answers = await Promise.all(calls);
    expect(answers.length).toBeGreaterThan(5);
    expect(await state()).toEqual(before);
    return answers.filter(([, status]) => !expected.includes(status));
  };

  test("an anonymous browser", async () => {
    expect(await refused(["writer", "member", "subject", "connector", "owner", "operator"], {}, [401])).toEqual([]);
  });

  test("an end user with the token of a website", async () => {
    expect(await refused(["connector", "owner", "operator"], endUser, [403])).toEqual([]);
  });

  test("a browser on a page of a platform", async () => {
    const browser = { [names.appId]: ids.platform ?? "", [names.browserId]: "browser-of-somebody" };
    expect(await refused(["connector", "owner", "operator"], browser, [403])).toEqual([]);
  });

  test("an account with a token", async () => {
    const { id, secret } = server.first.connector;
    const payload = {
      iss: id,
      iat: Math.floor(Date.now() / 1_000),
      [claims.subjectType]: "account",
      [claims.asAccount]: { domain: "acme.example" },
    };
    const account = { [names.accessToken]: signToken(payload, secret) };
    expect(await refused(["connector", "owner", "operator"], account, [403])).toEqual([]);
  });

  test("a connector that asks for what only people have", async () => {
    expect(await refused(["member"], owner.headers, [401])).toEqual([]);
  });

  test("another connector of the organization", async () => {
    expect(await refused(["owner", "operator"], colleague.headers, [403])).toEqual([]);
  });

  test("a connector of another organization with an id of this one", async () => {
    const before = await state();
    const withId = rows.filter(([, rule, type]) => type !== undefined && rule !== "operator");
    const answers = withId.map(async ([route, , type, body]) => {
      return [route, await statusOf(requestOf(route, ids[type ?? ""] ?? "", body), stranger.headers)] as const;
    });
    expect((await Promise.all(answers)).filter(([, status]) => status !== 404)).toEqual([]);
    expect(await state()).toEqual(before);
  });

  test("the operator, in another organization than that of the id", async () => {
    const before = await state();
    const headers = { ...server.operatorHeaders, [names.organization]: "globex" };
    const withId = rows.filter(([, , type]) => type !== undefined);
    const answers = withId.map(async ([route, , type, body]) => {
      return [route, await statusOf(requestOf(route, ids[type ?? ""] ?? "", body), headers)] as const;
    });
    expect((await Promise.all(answers)).filter(([, status]) => status !== 404)).toEqual([]);
    expect(await state()).toEqual(before);
  });
});

test("a caller with the right to use a route is let in", async () => {
  const unknown = (type: ObjectType | undefined) => createId(type ?? "comment");
  const callers: [Rule[], Record<string, string>][] = [
    [["anyone"], {}],
    [["anyone", "subject"], endUser],
    [["anyone", "connector"], colleague.headers],
    [["anyone", "connector", "owner"], server.operatorHeaders],
  ];
  for (const [rules, headers] of callers) {
    const chosen = Object.entries(ROUTE_RULES).filter(([route, row]) => {
      // A sign-in is about the token in its body. An end user reads only its own user.
      return rules.includes(ruleOf(row)[0]) && !route.endsWith("/login") && !/:id(\/segments)?$/.test(route);
    });
    const answers = chosen.map(async ([route, row]) => {
      const [, type, body] = ruleOf(row);
      return [route, await statusOf(requestOf(route, unknown(type), body), headers)] as const;
    });
    expect((await Promise.all(answers)).filter(([, status]) => status === 401 || status === 403)).toEqual([]);
  }
});

describe("an object under /:id", () => {
  const cases = Object.entries(OBJECT_RULES).flatMap(
    ([type, [read, change, remove]]) =>
      [
        ["GET", type, read],
        ["PUT", type, change],
        ["DELETE", type, remove],
      ] as const,
  );

  const call = (method: string, type: string, headers: Record<string, string>) => {
    const body = type === "comment" ? { text: "changed" } : { name: "changed" };
    return statusOf(requestOf(`${method} /api/v1/:id`, ids[type] ?? "", body), headers);
  };

  test("of another connector is refused to a connector, unless all of the organization share it", async () => {
    const before = await state();
    for (const [method, type, rule] of cases.filter(([, , rule]) => rule !== "yes")) {
      const status = await call(method, type, colleague.headers);
      expect(rule === "-" ? [405] : [403, 404], `${method} ${type}`).toContain(status);
    }
    expect(await state()).toEqual(before);
  });

  test("is refused to anonymous callers, other end users and connectors of other organizations", async () => {
    const before = await state();
    const browser = { [names.appId]: ids.platform ?? "", [names.browserId]: "browser-of-somebody" };
    for (const [method, type, rule] of cases) {
      const name = `${method} ${type}`;
      expect(await call(method, type, {}), name).toBe(401);
      expect([403, 404], name).toContain(await call(method, type, endUser));
      expect([403, 404], name).toContain(await call(method, type, browser));
      const status = await call(method, type, stranger.headers);
      expect({ "-": [404, 405], no: [403, 404], yes: [404] }[rule], name).toContain(status);
    }
    expect(await state()).toEqual(before);
  });

  test("is shown to the end user whom it is about", async () => {
    const ann = await owner.user({ email: "ann@example.com" });
    expect(await statusOf({ method: "GET", url: `/api/v1/${ann.id}` }, endUser)).toBe(200);
    expect(await statusOf({ method: "GET", url: `/api/v1/${ann.id}/segments` }, endUser)).toBe(200);
    expect(await statusOf({ method: "GET", url: `/api/v1/${ids.user}/segments` }, endUser)).toBe(403);
  });
});

describe("an id of another organization in a body is not found:", () => {
  test("the segment of a preview", async () => {
    const payload = { query: {}, segment_id: ids.users_segment };
    expect((await stranger.call("POST", "/segments/preview", { payload })).statusCode).toBe(404);
  });

  test("the connector of a deployment", async () => {
    const headers = { ...server.operatorHeaders, [names.organization]: "globex" };
    const platform = (await create("/platforms", { name: "Site" }, headers)).id;
    const request = { method: "POST", url: `/api/v1/${platform}/deployments` } as const;
    expect(await statusOf({ ...request, payload: { connector_id: ids.connector } }, headers)).toBe(404);
  });

  test("the upload of an import", async () => {
    const upload = await create("/uploads", {}, owner.headers);
    const url = `/api/v1/uploads/${upload.id}?offset=0`;
    const headers = { ...stranger.headers, "content-type": "application/octet-stream" };
    expect(await statusOf({ method: "PUT", url, payload: Buffer.from("{}") }, headers)).toBe(404);
  });
});

test("the files of a job are shown to its connector and the operator", async () => {
  const urls = async (headers: Record<string, string>) => {
    const one = await server.app.inject({ url: `/api/v1/${ids.job}`, headers });
    const all = await server.app.inject({ url: "/api/v1/jobs", headers });
    return [one.json(), all.json()[0]].map(({ id, download_url }) => [id, download_url !== undefined]);
  };
  for (const headers of [owner.headers, server.operatorHeaders]) {
    expect(await urls(headers)).toEqual([
      [ids.job, true],
      [ids.job, true],
    ]);
  }
  expect(await urls(colleague.headers)).toEqual([
    [ids.job, false],
    [ids.job, false],
  ]);
});
