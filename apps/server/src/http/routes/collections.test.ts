import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listOperations, type TestOperation } from "../../testing/operations.js";
import { openSeededServer, type SeededServer } from "../../testing/seeded-server.js";
import { type SignedIn, signInByLink } from "../../testing/signed-in.js";
import type { TestServer } from "../../testing/test-server.js";
import type { EXAMPLE } from "../reference/examples/example-values.js";

/** Lists that old clients expect whole: without `page` and `per_page` they have everything. */
const WHOLE = [
  "/api/v1/users_segments",
  "/api/v1/accounts_segments",
  "/api/v1/segments",
  "/api/v1/{id}/segments",
  "/api/v1/settings/user_traits",
  "/api/v1/settings/account_traits",
  "/api/v1/users/schema",
  "/api/v1/accounts/schema",
  "/api/v1/search/event/bootstrap",
  "/api/v1/search/events/bootstrap",
];

/** Every list of the API, with the object in its path. A new list is added here. */
const LISTS: Record<string, keyof typeof EXAMPLE | null> = {
  "/api/v1/accounts/schema": null,
  "/api/v1/accounts_segments": null,
  "/api/v1/audit": null,
  "/api/v1/catalogue": null,
  "/api/v1/connectors": null,
  "/api/v1/dead_letters": null,
  "/api/v1/dead_letters/groups": null,
  "/api/v1/deliveries": null,
  "/api/v1/do_not_merge": null,
  "/api/v1/entities": null,
  "/api/v1/erasures": null,
  "/api/v1/events/names": null,
  "/api/v1/health_checks": null,
  "/api/v1/ingestion/rejected": null,
  "/api/v1/ingestion/rejected/reasons": null,
  "/api/v1/insights": null,
  "/api/v1/invitations": null,
  "/api/v1/jobs": null,
  "/api/v1/members": null,
  "/api/v1/organizations": null,
  "/api/v1/platforms": null,
  "/api/v1/computed_attributes": null,
  "/api/v1/purposes": null,
  "/api/v1/rebuild": null,
  "/api/v1/retention": null,
  "/api/v1/search/event/bootstrap": null,
  "/api/v1/search/events/bootstrap": null,
  "/api/v1/segments": null,
  "/api/v1/segments/uses": null,
  "/api/v1/sessions": null,
  "/api/v1/settings/account_traits": null,
  "/api/v1/settings/user_traits": null,
  "/api/v1/users/schema": null,
  "/api/v1/users_segments": null,
  "/api/v1/views": null,
  "/api/v1/{id}/comments": "user",
  "/api/v1/{id}/delivery/traces": "connector",
  "/api/v1/{id}/deployments": "platform",
  "/api/v1/{id}/logs": "connector",
  "/api/v1/{id}/pages": "connector",
  "/api/v1/{id}/schedules": "connector",
  "/api/v1/{id}/segments": "user",
  "/api/v1/{id}/status/history": "connector",
  "/api/v1/{id}/traces": "user",
  "/api/v1/{id}/versions": "usersSegment",
  "/api/v1/{id}/write_keys": "connector",
};

let server: TestServer;
let seeded: SeededServer;
let lists: TestOperation[];
let signedIn: SignedIn;
beforeAll(async () => {
  seeded = await openSeededServer();
  server = seeded.server;
  signedIn = await signInByLink(server, "grace@example.com");
  lists = (await listOperations(server.app)).filter(({ method, operation }) => {
    return method === "GET" && JSON.stringify(operation.responses?.["200"]).includes('{"schema":{"type":"array"');
  });
});
afterAll(() => seeded.close());

async function read(path: string, query = "") {
  const object = LISTS[path];
  const id = object ? seeded.values[object] : "";
  const more = path === "/api/v1/rebuild" ? "all=true&" : "";
  const answer = await fetch(`${server.url}${path.replace("{id}", id)}?${more}${query}`, {
    // Sessions are those of a member.
    headers: path === "/api/v1/sessions" ? signedIn.headers : server.operatorHeaders,
  });
  const body: unknown = await answer.json();
  return {
    status: answer.status,
    total: Number(answer.headers.get("svc-total-count") ?? Number.NaN),
    link: answer.headers.get("link") ?? "",
    items: (Array.isArray(body) ? body : [body]) as unknown[],
  };
}

/** The page and the size that a `Link` header has for a relation. */
function pageOf(link: string, relation: string): (string | null)[] {
  const address = link.split(", ").find((part) => part.endsWith(`rel="${relation}"`));
  const { searchParams } = new URL(/<(.*)>/.exec(address ?? "")?.[1] ?? "about:blank");
  return [searchParams.get("page"), searchParams.get("per_page")];
}

/** Lists whose items change while they are read are compared by this field. */
const COMPARED_BY: Record<string, string> = {
  "/api/v1/deliveries": "connector_id",
  "/api/v1/health_checks": "name",
  "/api/v1/jobs": "id",
  "/api/v1/rebuild": "organization",
};

function comparable(path: string, items: unknown[]): unknown[] {
  const field = COMPARED_BY[path];
  return field === undefined ? items : items.map((item) => (item as Record<string, unknown>)[field]);
}

test("every list of the API is in the table of this test: add a new one to LISTS in collections.test.ts", () => {
  expect(lists.map(({ path }) => path).sort()).toEqual(Object.keys(LISTS).sort());
});

test("every list documents `page` and `per_page`: use PageQuery of pagination.ts as its query string", () => {
  const parametersOf = ({ operation }: TestOperation) =>
    (operation.parameters ?? []).flatMap((parameter) =>
      "name" in parameter && ["page", "per_page"].includes(parameter.name) ? [parameter] : [],
    );
  const described = lists.map((list) => [
    list.path,
    parametersOf(list).map(({ name, schema }) => [
      name,
      schema && "maximum" in schema ? schema.maximum : undefined,
      schema && "default" in schema ? schema.default : undefined,
    ]),
  ]);
  const expected = lists.map(({ path }) => {
    const isWhole = WHOLE.includes(path);
    return [
      path,
      [
        ["page", 1_000_000, isWhole ? undefined : 1],
        ["per_page", 1_000, isWhole ? undefined : 30],
      ],
    ];
  });
  expect(described).toEqual(expected);
});

describe.each(Object.keys(LISTS))("the list %s", (path) => {
  test("is read page by page, with the number of all items and links to other pages", async () => {
    const whole = await read(path, "per_page=1000");
    expect(whole.status).toBe(200);
    expect(whole.items.length).toBeGreaterThan(1);
    expect(whole.total).toBe(whole.items.length);
    const first = await read(path, "per_page=1");
    const second = await read(path, "per_page=1&page=2");
    const pages = [...first.items, ...second.items];
    expect(comparable(path, pages)).toEqual(comparable(path, whole.items.slice(0, 2)));
    expect(first.total).toBe(whole.total);
    expect(pageOf(first.link, "next")).toEqual(["2", "1"]);
    expect(pageOf(second.link, "prev")).toEqual(["1", "1"]);
    const far = await read(path, "per_page=1000&page=1000000");
    expect([far.status, far.items, far.total]).toEqual([200, [], whole.total]);
  });

  test("has a total also without parameters", async () => {
    const { status, total, items } = await read(path);
    expect([status, total]).toEqual([200, expect.any(Number)]);
    expect(items).toHaveLength(WHOLE.includes(path) ? total : Math.min(30, total));
  });

  test("refuses a page and a size that cannot be", async () => {
    for (const query of ["page=0", "per_page=0", "per_page=1001", "page=x", "per_page=-1"]) {
      expect([query, (await read(path, query)).status]).toEqual([query, 400]);
    }
  });
});
