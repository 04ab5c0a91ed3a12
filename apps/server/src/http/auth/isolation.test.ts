import { createBrand, signToken, typeOfId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bodyFor, listOperations, type TestOperation } from "../../testing/operations.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const { headers: names, claims } = createBrand("Svc");
const MARK = "only globex may read this";

/** Fields and a query with which every route that has an id in its path accepts the shape of a request. */
const FIELDS = { text: "changed", name: "changed", status: "error", messages: ["changed"], settings: { a: "changed" } };

const QUERY = "offset=0";

let server: TestServer;
let withId: TestOperation[];
let guarded: TestOperation[];
let globexHeaders: Record<string, string>;
/** One object of every type that globex has. */
let globexIds: string[];

beforeAll(async () => {
  server = await openTestServer();
  const operations = await listOperations(server.app);
  guarded = operations.filter(({ access }) => access !== "open" && access !== "anyone");
  withId = guarded.filter(({ path }) => /\{\w*id\}/.test(path));

  const inGlobex = { ...server.operatorHeaders, [names.organization]: "globex" };
  const organization = await post("/organizations", server.operatorHeaders, { namespace: "globex", name: MARK });
  const connector = await post("/connectors", inGlobex, { name: MARK });
  globexHeaders = {
    [names.organization]: "globex",
    [names.appId]: connector.id ?? "",
    [names.accessToken]: connector.secret ?? "",
  };
  const comment = await post(`/${connector.id}/comments`, globexHeaders, { text: MARK });
  const segment = await post("/users_segments", globexHeaders, { name: MARK, query: {}, predicate: {} });
  const entity = await post("/org/entities", globexHeaders, { uid: "1", name: MARK });
  const subjects = await createSubjects(connector);
  // From then on the record of the segment does not change by itself.
  await vi.waitFor(async () => expect(await isEvaluated(segment.id ?? "")).toBe(true), { timeout: 10_000 });
  globexIds = [organization.id, connector.id, comment.id, segment.id, entity.id, ...subjects].map(String);
});
afterAll(() => server.close());

async function isEvaluated(id: string): Promise<boolean> {
  const answer = await server.app.inject({ url: `/api/v1/${id}`, headers: globexHeaders });
  return answer.json<{ evaluated: boolean }>().evaluated;
}

async function post(path: string, headers: Record<string, string>, payload: object): Promise<Record<string, string>> {
  const answer = await server.app.inject({ method: "POST", url: `/api/v1${path}`, headers, payload });
  expect(answer.statusCode).toBe(201);
  return answer.json();
}

/** A user linked to an account, in globex. */
async function createSubjects({ id = "", secret = "" }: Record<string, string>): Promise<string[]> {
  const payload = {
    iss: id,
    iat: Math.floor(Date.now() / 1_000),
    [claims.subjectType]: "user",
    [claims.asUser]: { email: "ann@globex.example" },
    [claims.asAccount]: { domain: "globex.example" },
  };
  const headers = { [names.organization]: "globex", [names.accessToken]: signToken(payload, secret) };
  const written = await server.app.inject({
    method: "POST",
    url: "/api/v1/me/traits",
    headers,
    payload: { name: MARK },
  });
  expect(written.statusCode).toBe(200);
  const waiting = { ...headers, [names.waitFor]: written.json().position };
  const report = (await server.app.inject({ url: "/api/v1/me/user_report", headers: waiting })).json();
  return [report.id, report.account.id];
}

async function callAll(operations: TestOperation[], ids: string[], credentials: Record<string, string>) {
  const answers = [];
  // One id after the other: a busy machine refuses some of 1,500 requests that come at the same moment.
  for (const id of ids) {
    const calls = operations.map(async (operation) => {
      const { method, path } = operation;
      const body = bodyFor(operation, FIELDS);
      const answer = await server.app.inject({
        method,
        url: `${path.replace(/\{[^}]+\}/g, id)}?${QUERY}`,
        headers: { ...credentials, ...(body ? { "content-type": body.type } : {}) },
        ...(body ? { payload: body.payload } : {}),
      });
      return { name: `${method} ${path} ${id}`, status: answer.statusCode, text: answer.body };
    });
    answers.push(...(await Promise.all(calls)));
  }
  return answers;
}

async function stateOfGlobex(): Promise<object[]> {
  return Promise.all(
    globexIds.map(async (id) => {
      const answer = await server.app.inject({ url: `/api/v1/${id}`, headers: globexHeaders });
      expect(answer.statusCode).toBe(200);
      // The time of indexing changes without a write.
      const { indexed_at: _, ...state } = answer.json();
      return state;
    }),
  );
}

test("a connector and the operator cannot use ids of another organization, on every route with an id", async () => {
  const before = await stateOfGlobex();
  expect(JSON.stringify(before)).toContain(MARK);
  // The operator changes and deletes all organizations, by their ids.
  const ofOperator = globexIds.filter((id) => typeOfId(id) !== "organization");
  for (const [headers, ids] of [
    [server.connectorHeaders, globexIds],
    [server.operatorHeaders, ofOperator],
  ] as const) {
    const answers = await callAll(withId, [...ids], headers);
    expect(answers.length).toBeGreaterThan(10);
    // 400: objects of the type in the id need another body; 405: they cannot be changed; 403: not by this caller.
    expect(answers.filter(({ status }) => ![400, 401, 403, 404, 405].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 404).length).toBeGreaterThan(answers.length / 2);
    expect(answers.filter(({ text }) => text.includes(MARK))).toEqual([]);
  }
  expect(await stateOfGlobex()).toEqual(before);
});

test("the credentials of another organization are refused on every route", async () => {
  const headers = { ...globexHeaders, [names.organization]: "default" };
  const answers = await callAll(guarded, [server.first.connector.id], headers);
  expect(answers.length).toBeGreaterThan(10);
  expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
});

test("our credentials are refused in another organization on every route", async () => {
  const headers = { ...server.connectorHeaders, [names.organization]: "globex" };
  const answers = await callAll(guarded, globexIds, headers);
  expect(answers.length).toBeGreaterThan(10);
  expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
});

test("lists show only objects of the caller's organization", async () => {
  const lists = guarded.filter(
    ({ method, path, access }) => method === "GET" && !path.includes("{") && access !== "operator",
  );
  const answers = await callAll(lists, [""], server.connectorHeaders);
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.filter(({ text }) => text.includes(MARK))).toEqual([]);
});
