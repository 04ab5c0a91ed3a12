import { gzipSync } from "node:zlib";
import { fill, type Maker, MB, type Shape } from "./shape.js";

const DOOR = "gateway";
const SIZE = 9.9 * MB;
const ENTRIES = 4_999;

type MakeEntry = (maker: Maker, index: number) => string;

function entry(token: string, type: string, body: string): string {
  return `{"type":"${type}","headers":{"Svc-Access-Token":"${token}"},"body":${body}}`;
}

function gateway(name: string, batch: (maker: Maker) => string, isBaseline?: true): Shape {
  return {
    door: DOOR,
    name,
    ...(isBaseline ? { isBaseline } : {}),
    calls: (maker) => [
      {
        method: "POST",
        path: "/firehose",
        as: "connector",
        body: `{"timestamp":"${maker.now}","sentAt":"${maker.now}","batch":[${batch(maker)}]}`,
        // Each attempt is a batch of its own.
        headers: { "idempotency-key": String(Math.random()) },
      },
    ],
  };
}

/** As many entries as a batch may hold. */
function entries(name: string, make: MakeEntry, isBaseline?: true): Shape {
  return gateway(
    name,
    (maker) => Array.from({ length: ENTRIES }, (_, index) => make(maker, index)).join(","),
    isBaseline,
  );
}

const track = (properties: string) => `{"event":"Door","properties":${properties}}`;
const text = (length: number) => `"${"x".repeat(length)}"`;
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

function one(name: string, type: string, body: () => string): Shape {
  return gateway(name, ({ token }) => entry(token, type, body()));
}

export const GATEWAY_SHAPES: Shape[] = [
  entries(
    "events and traits of many users",
    ({ tokenOf }, index) =>
      index % 2 === 0
        ? entry(tokenOf(`good-${index}`), "track", track(`{"price":${index},"name":${text(1_500)}}`))
        : entry(tokenOf(`good-${index}`), "traits", `{"plan":"pro","visits":${index},"about":${text(1_500)}}`),
    true,
  ),
  one("one event with 700,000 properties", "track", () => track(`{${fill(SIZE, (index) => `"property${index}":1`)}}`)),
  one("one event with 90,000 properties", "track", () => track(`{${fill(MB * 0.9, (index) => `"p${index}":1`)}}`)),
  one("one event with 19,000 properties", "track", () =>
    track(`{${Array.from({ length: 19_000 }, (_, index) => `"q${index}":1`).join(",")}}`),
  ),
  one("one traits entry with 90,000 attributes", "traits", () => `{${fill(MB * 0.9, (index) => `"a${index}":1`)}}`),
  one(
    "one traits entry with 1,900 attributes",
    "traits",
    () => `{${Array.from({ length: 1_900 }, (_, index) => `"few${index}":1`).join(",")}}`,
  ),
  one(
    "one traits entry with 1,900 refused attributes",
    "traits",
    () => `{${Array.from({ length: 1_900 }, (_, index) => `"few${index}":[1]`).join(",")}}`,
  ),
  entries("traits entries with 100 attributes each", ({ tokenOf }, index) =>
    entry(
      tokenOf(`wide-${index % 500}`),
      "traits",
      `{${Array.from({ length: 100 }, (_, at) => `"few${at}":${index}`)}}`,
    ),
  ),
  entries("traits entries with 100 refused attributes each", ({ tokenOf }, index) =>
    entry(tokenOf(`wide-${index % 500}`), "traits", `{${Array.from({ length: 100 }, (_, at) => `"few${at}":"x"`)}}`),
  ),
  entries("events with 100 new properties each", ({ token }, index) =>
    entry(token, "track", track(`{${Array.from({ length: 100 }, (_, at) => `"n${index}_${at}":1`)}}`)),
  ),
  entries("events with a new name each", ({ token }, index) =>
    entry(token, "track", `{"event":"Door ${index} ${"x".repeat(450)}","properties":{"a":1}}`),
  ),
  entries("events with a user agent, an address and a URL of their own", ({ token }, index) =>
    entry(
      token,
      "track",
      `{"event":"Door","useragent":"Mozilla/5.0 ${"(".repeat(490)}${index}","ip":"1.2.${index % 250}.${index % 200}","url":"https://a.example/${"%20".repeat(400)}?utm_source=${index}"}`,
    ),
  ),
  one("one event with a user agent of 900 KB", "track", () => `{"event":"Door","useragent":${text(MB * 0.9)}}`),
  one(
    "one event with a URL of 900 KB",
    "track",
    () => `{"event":"Door","url":"https://a.example/?utm_source=${"é".repeat(MB * 0.4)}"}`,
  ),
  one("one event with an address of 900 KB", "track", () => `{"event":"Door","ip":${text(MB * 0.9)}}`),
  one("one text of 10 MB", "track", () => track(`{"a":${text(SIZE)}}`)),
  one("one text of 900 KB of escapes", "track", () => track(`{"a":"${"\\u0000".repeat(150_000)}"}`)),
  one("one text of 900 KB of lone surrogates", "track", () => track(`{"a":"${"\\ud800".repeat(150_000)}"}`)),
  one("one value of 10 MB of nested lists", "track", () => track(`${"[".repeat(SIZE / 2)}${"]".repeat(SIZE / 2)}`)),
  entries("entries nested 5,000 levels deep", ({ token }) => entry(token, "track", track(deep(300)))),
  entries("entries nested 60 levels deep", ({ token }) => entry(token, "track", track(deep(55)))),
  one("one list of 3 million empty lists", "track", () => track(`{"a":[${fill(SIZE, () => "[]")}]}`)),
  one("one list of 300,000 empty objects", "track", () => track(`{"a":[${fill(MB * 0.9, () => "{}")}]}`)),
  one("one list of 19,000 empty objects", "track", () => track(`{"a":[${Array(19_000).fill("{}")}]}`)),
  one("one number of 900 KB", "track", () => track(`{"a":${"9".repeat(MB * 0.9)}}`)),
  one("one list of 450,000 numbers", "track", () => track(`{"a":[${fill(MB * 0.9, () => "1")}]}`)),
  one("one key 70,000 times", "track", () => track(`{${fill(MB * 0.9, () => '"a":1')}}`)),
  entries("entries with __proto__ and constructor keys", ({ token }) =>
    entry(token, "track", track(`{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}},"c":${text(1_500)}}`)),
  ),
  gateway("5 million entries that are numbers", () => fill(SIZE, () => "1")),
  gateway("4,999 entries that are numbers", () => Array(ENTRIES).fill("1").join(",")),
  gateway("white space of 10 MB", () => " ".repeat(SIZE)),
  entries("entries with different bad tokens", (_maker, index) =>
    entry(`${index}${"x".repeat(600)}.${"y".repeat(600)}.${"z".repeat(600)}`, "track", track("{}")),
  ),
  gateway("one entry with a token of 900 KB", () => entry(`${".".repeat(MB * 0.9)}`, "track", track("{}"))),
  entries("entries of different users", ({ tokenOf }, index) => entry(tokenOf(`many-${index}`), "track", track("{}"))),
  entries("aliases of one user", ({ token }, index) => entry(token, "alias", `{"anonymous_id":"anon-${index}"}`)),
  entries("aliases that merge users", ({ tokenOf }, index) =>
    entry(tokenOf(`merge-${index % 100}`), "alias", `{"anonymous_id":"shared-${index % 50}"}`),
  ),
  one("one alias of 900 KB", "alias", () => `{"anonymous_id":${text(MB * 0.9)}}`),
  one(
    "one alias with 90,000 texts",
    "alias",
    () => `{"anonymous_id":"a",${fill(MB * 0.9, (index) => `"a${index}":"1"`)}}`,
  ),
  entries("erasures", ({ tokenOf }, index) => entry(tokenOf(`good-${index}`), "incinerate", "{}")),
  entries("events that overwrite one another", ({ token }, index) =>
    entry(token, "track", `{"event":"Over","event_id":"e${index % 10}","properties":{"a":${text(1_500)}}}`),
  ),
  entries("events on entities", ({ token }, index) =>
    entry(
      token,
      "track",
      `{"event":"Read","entity":{"uid":"u${index}","type":"article"},"properties":{"a":${text(1_000)}}}`,
    ),
  ),
  {
    door: DOOR,
    name: "gzip of 1 GB of zeros",
    calls: () => [
      {
        method: "POST",
        path: "/firehose",
        as: "connector",
        body: bomb(),
        headers: { "content-encoding": "gzip" },
      },
    ],
  },
  {
    door: DOOR,
    name: "gzip of a good batch, then 1 GB of white space",
    calls: ({ now }) => [
      {
        method: "POST",
        path: "/firehose",
        as: "connector",
        body: Buffer.concat([
          gzipSync(`{"timestamp":"${now}","sentAt":"${now}","batch":[${" ".repeat(MB)}`),
          gzipSync(Buffer.alloc(300 * MB, " ")),
        ]),
        headers: { "content-encoding": "gzip" },
      },
    ],
  },
];

let packed: Buffer | undefined;
function bomb(): Buffer {
  packed ??= Buffer.concat(Array(10).fill(gzipSync(Buffer.alloc(100 * MB))));
  return packed;
}
