import { type Call, fill, type Maker, MB, type Sender, type Shape } from "./shape.js";

const SIZE = 0.98 * MB;

function rest(
  door: string,
  name: string,
  method: Call["method"],
  path: string,
  body: (maker: Maker) => string,
  as: Sender = "connector",
): Shape {
  return { door, name, calls: (maker) => [{ method, path: `/api/v1${path}`, as, body: body(maker) }] };
}

const text = (length: number) => `"${"x".repeat(length)}"`;
const baseline = (shape: Shape): Shape => ({ ...shape, isBaseline: true });

/** What a sender can put into any body. */
const BODIES: Record<string, () => string> = {
  "90,000 keys": () => `{${fill(SIZE, (index) => `"k${index}":1`)}}`,
  "19,000 keys": () => `{${Array.from({ length: 19_000 }, (_, index) => `"k${index}":1`)}}`,
  "10,000 keys with a bad type": () => `{${Array.from({ length: 10_000 }, (_, index) => `"k${index}":[{}]`)}}`,
  "one key 100,000 times": () => `{${fill(SIZE, () => '"event":"1"')}}`,
  "300,000 empty objects": () => `{"event":"a","properties":{"a":[${fill(SIZE, () => "{}")}]}}`,
  "nesting of 500,000 levels": () => `{"a":${"[".repeat(SIZE / 2)}${"]".repeat(SIZE / 2)}}`,
  "one text": () => `{"event":"a","name":${text(SIZE)}}`,
  "one text of NULs": () => `{"event":"a","name":"${"\\u0000".repeat(SIZE / 6)}"}`,
  "one text of lone surrogates": () => `{"event":"a","name":"${"\\ud800".repeat(SIZE / 6)}"}`,
  "one text of quotes": () => `{"event":"a","name":"${'\\"'.repeat(SIZE / 2)}"}`,
  "one key": () => `{${text(SIZE)}:1}`,
  "one number": () => `{"event":"a","name":${"1".repeat(SIZE)}}`,
  "__proto__ keys": () => `{"event":"a",${fill(SIZE, () => '"__proto__":{"a":1}')}}`,
  "nested __proto__ keys": () => `{"event":"a","a":[${Array(45_000).fill('{"__proto__":1}')}]}`,
  "white space": () => `{"event":"a"${" ".repeat(SIZE)}}`,
  "no JSON": () => "x".repeat(SIZE),
  "no end": () => `{"a":[${fill(SIZE, () => "1")}`,
};

export const onDoor = (door: string, method: Call["method"], path: string, as: Sender): Shape[] =>
  Object.entries(BODIES).map(([name, body]) => rest(door, name, method, path, body, as));

const search = (name: string, body: () => string) => rest("search", name, "POST", "/search/user_reports", body);
const events = (name: string, body: () => string) => rest("search", name, "POST", "/search/events", body);
const bool = (levels: number) => `${'{"bool":{"must":['.repeat(levels)}{"match_all":{}}${"]}}".repeat(levels)}`;
const many = (count: number, clause: (index: number) => string) =>
  `{"query":{"bool":{"should":[${Array.from({ length: count }, (_, index) => clause(index))}]}}}`;

export const SEARCHES: Shape[] = [
  baseline(
    search(
      "9,999 terms and a page of users",
      () => `{"query":{"terms":{"id":[${Array.from({ length: 9_999 }, (_, index) => `"u${index}"`)}]}}}`,
    ),
  ),
  search("a page of 1,000 users", () => '{"per_page":1000}'),
  events("a page of 1,000 events", () => '{"per_page":1000}'),
  events("the events with many properties", () => '{"per_page":1000,"query":{"exists":{"field":"properties.q1"}}}'),
  search("90,000 terms", () => `{"query":{"terms":{"id":[${fill(SIZE, (index) => `"u${index}"`)}]}}}`),
  search(
    "10,000 long terms",
    () => `{"query":{"terms":{"id":[${Array.from({ length: 10_000 }, (_, index) => `"${index}${"u".repeat(90)}"`)}]}}}`,
  ),
  search("30 nested bools", () => `{"query":${bool(30)}}`),
  search("60 nested bools", () => `{"query":${bool(30)},"filter":${bool(31)}}`),
  search("a bool 20,000 levels deep", () => `{"query":${bool(20_000)}}`),
  search("1,000 clauses on different fields", () => many(1_000, (index) => `{"term":{"few${index}":${index}}}`)),
  search("1,000 wildcards", () => many(1_000, (index) => `{"wildcard":{"email":"*${"a*".repeat(20)}${index}"}}`)),
  search("1,000 event conditions", () =>
    many(
      300,
      (index) => `{"has_child":{"type":"event","min_children":${index + 1},"query":{"term":{"event":"Door"}}}}`,
    ),
  ),
  search("a wildcard of 1,000 stars", () => `{"query":{"wildcard":{"email":"${"*a".repeat(499)}"}}}`),
  search("a regular expression that explodes", () => `{"query":{"regexp":{"email":"${"(a+)+".repeat(100)}b"}}}`),
  search("a regular expression with counted groups", () => '{"query":{"regexp":{"email":"((a{9}){9}){9}"}}}'),
  search("a regular expression of 900 KB", () => `{"query":{"regexp":{"email":"${"(".repeat(SIZE)}"}}}`),
  search("a query string of operators", () => `{"query":{"query_string":{"query":"${" a".repeat(499)}"}}}`),
  search(
    "50 aggregations",
    () =>
      `{"per_page":0,"aggs":{${Array.from({ length: 50 }, (_, index) => `"a${index}":{"terms":{"field":"few${index}","size":10000}}`)}}}`,
  ),
  search(
    "20,000 aggregations",
    () => `{"per_page":0,"aggs":{${fill(SIZE, (index) => `"a${index}":{"terms":{"field":"f"}}`)}}}`,
  ),
  search(
    "a histogram of a tiny interval",
    () => '{"per_page":0,"aggs":{"a":{"histogram":{"field":"visits","interval":0.0000001,"min_doc_count":0}}}}',
  ),
  search(
    "a date histogram of seconds",
    () =>
      '{"per_page":0,"aggs":{"a":{"date_histogram":{"field":"created_at","interval":"1s","min_doc_count":0,"extended_bounds":{"min":"1970-01-01","max":"2100-01-01"}}}}}',
  ),
  search(
    "an include of many stars",
    () => `{"per_page":1000,"include":["${"a*".repeat(5_000)}b","*${"e*".repeat(30)}z"]}`,
  ),
  search(
    "999 includes of many stars",
    () => `{"per_page":1000,"include":[${Array.from({ length: 999 }, (_, index) => `"*${"w*".repeat(40)}${index}"`)}]}`,
  ),
  search("100,000 includes", () => `{"include":[${fill(SIZE, () => '"a"')}]}`),
  search("100,000 sort keys", () => `{"sort":[${fill(SIZE, () => '"a"')}]}`),
  search("a date of 900 KB", () => `{"query":{"range":{"created_at":{"gte":"now${"-1d".repeat(300_000)}"}}}}`),
  search("a date of 30 KB", () => `{"query":{"range":{"created_at":{"gte":"now${"-1d".repeat(10_000)}"}}}}`),
  search(
    "a date format of 900 KB",
    () => `{"query":{"range":{"created_at":{"gte":"1","format":"${"yyyy||".repeat(160_000)}"}}}}`,
  ),
  search("a search_after of 40,000 values", () => `{"search_after":[${Array(40_000).fill("1")}]}`),
  search("a page far away", () => '{"page":999999999,"per_page":1000}'),
];

export const REST_SHAPES: Shape[] = [
  baseline(
    rest(
      "track",
      "an event of 100 KB",
      "POST",
      "/me/track",
      () => `{"event":"Door","properties":{${Array.from({ length: 6 }, (_, index) => `"p${index}":${text(16_000)}`)}}}`,
      "subject",
    ),
  ),
  ...onDoor("track", "POST", "/me/track", "subject"),
  baseline(
    rest(
      "traits",
      "attributes of 1 MB",
      "PUT",
      "/me/traits",
      () => `{${Array.from({ length: 60 }, (_, index) => `"long${index}":${text(16_000)}`)}}`,
      "subject",
    ),
  ),
  ...onDoor("traits", "PUT", "/me/traits", "subject"),
  ...onDoor("alias", "POST", "/me/alias", "subject"),
  ...onDoor("sign-in", "POST", "/users/login", "nobody"),
  rest("sign-in", "a token of 900 KB", "POST", "/users/login", () => `{"access_token":${text(SIZE * 0.9)}}`, "nobody"),
  rest(
    "sign-in",
    "a token of dots",
    "POST",
    "/users/login",
    () => `{"access_token":"${".".repeat(SIZE * 0.9)}"}`,
    "nobody",
  ),
  ...SEARCHES,
  ...onDoor("search", "POST", "/search/user_reports", "connector"),
  ...onDoor("segments", "POST", "/users_segments", "connector"),
  rest("segments", "a preview of 1,000 clauses", "POST", "/segments/preview", () =>
    many(1_000, (index) => `{"term":{"few${index}":${index}}}`),
  ),
  rest(
    "segments",
    "a predicate of 20,000 rules",
    "POST",
    "/segments/preview",
    () => `{"predicate":{"type":"and","rules":[${fill(SIZE, () => '{"type":"attribute","name":"a"}')}]}}`,
  ),
  ...onDoor("charts", "POST", "/charts/events", "connector"),
  ...onDoor("comments", "POST", "/app/comments", "connector"),
  ...onDoor("entities", "POST", "/app/entities", "connector"),
  ...onDoor("settings", "PUT", "/app", "connector"),
  ...onDoor("logs", "POST", "/app/logs", "connector"),
  ...onDoor("status", "PUT", "/app/status", "connector"),
  ...onDoor("platforms", "POST", "/platforms", "operator"),
  ...onDoor("attributes", "POST", "/users/attributes", "connector"),
  ...onDoor("import", "POST", "/import/users", "connector"),
  ...onDoor("extract", "POST", "/extract/user_reports", "connector"),
];
