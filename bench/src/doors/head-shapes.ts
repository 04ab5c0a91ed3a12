import { type Call, MB, type Sender, type Shape } from "./shape.js";

/** A request whose head is hostile. Node reads 16 KB of it. */
function head(name: string, path: string, headers: Record<string, string> = {}, as: Sender = "connector"): Shape {
  const call: Call = { method: "GET", path, as, headers };
  return { door: "head", name, calls: () => [call] };
}

const brackets = (count: number) => `where${"[a]".repeat(count)}=1`;

export const HEAD_SHAPES: Shape[] = [
  { ...head("a good request", "/api/v1/app"), isBaseline: true },
  head("a path of 15 KB", `/api/v1/${"a".repeat(15_000)}`),
  head("a path of 7,000 parts", `/api/v1/${"a/".repeat(7_000)}`),
  head("a path of 5,000 escapes", `/api/v1/${"%41".repeat(5_000)}`),
  head("a path of broken escapes", `/api/v1/${"%".repeat(15_000)}`),
  head("3,000 parameters", `/api/v1/app?${"a=1&".repeat(3_000)}`),
  head("a where of 2,500 brackets", `/api/v1/entities?${brackets(2_500)}`),
  head("3,000 wheres", `/api/v1/entities?${"where[a]=1&".repeat(1_300)}`),
  head("a where with an index", "/api/v1/entities?where[$or][99999999][name]=1&where[$or][5]=1"),
  head(
    "a where of nested $or",
    `/api/v1/entities?where=${encodeURIComponent(`${'{"$or":['.repeat(600)}{}${"]}".repeat(600)}`)}`,
  ),
  head("a where of 700 $or", `/api/v1/entities?where=${encodeURIComponent(`{"$or":[${Array(700).fill('{"a":1}')}]}`)}`),
  head("a where of __proto__", "/api/v1/entities?where[__proto__][a]=1&where[constructor][prototype][a]=1"),
  head("a query of 15 KB in the query string", `/api/v1/search/user_reports?query=${"%7B".repeat(4_000)}`),
  head(
    "an include of many stars in the query string",
    `/api/v1/search/user_reports?per_page=1000&include=${"a*".repeat(1_000)}b`,
  ),
  head("7,000 includes in the query string", `/api/v1/search/user_reports?per_page=1000&include=${"*a,".repeat(900)}b`),
  head("a user agent of 15 KB", "/api/v1/app", { "user-agent": "(".repeat(15_000) }),
  head(
    "a token of 15 KB",
    "/api/v1/app",
    { "svc-access-token": `${"a".repeat(7_000)}.${"b".repeat(7_000)}.c` },
    "nobody",
  ),
  head("a token of 15,000 dots", "/api/v1/app", { "svc-access-token": ".".repeat(15_000) }, "nobody"),
  head("a bearer of 15 KB of spaces", "/api/v1/app", { authorization: `Bearer ${" ".repeat(15_000)}` }, "nobody"),
  head("an organization of 15 KB", "/api/v1/app", { "svc-organization": "a.".repeat(7_000) }),
  head("a host of 15 KB", "/api/v1/app", { host: "a.".repeat(7_000) }),
  head("a position of 15 KB", "/api/v1/app", { "svc-wait-for": "a1.".repeat(5_000) }),
  head("headers of 100 KB", "/api/v1/app", { "x-a": "a".repeat(100_000) }),
  {
    door: "head",
    name: "1,000 waits for a position at the same time",
    together: true,
    calls: () =>
      Array.from({ length: 1_000 }, () => ({
        method: "GET",
        path: "/api/v1/me",
        as: "nobody",
        headers: { "svc-wait-for": "a999999999" },
      })),
  },
  {
    door: "head",
    name: "a body on a route that takes none",
    calls: () => [{ method: "DELETE", path: "/api/v1/app", as: "subject", body: `[${"1,".repeat(MB * 0.4)}1]` }],
  },
];
