import { fill, type Maker, type Shape } from "./shape.js";

// The body of a page has at most 128 KB.
const SIZE = 120 * 1024;
const VISITOR = '"bid":"doors-browser","sid":"doors-visit"';

/** A request that a page of a website makes: its body is JSON with the type text/plain. */
function page(name: string, path: string, body: (maker: Maker) => string): Shape {
  return {
    door: "page",
    name,
    calls: (maker) => [
      {
        method: "POST",
        path: `/api/v1/${maker.platformId}/${path}`,
        as: "page",
        body: body(maker),
        headers: { "content-type": "text/plain" },
      },
    ],
  };
}

/** Each attempt sends records of its own. */
const record = (index: number, type: string, body: string) =>
  `{"id":"${index}-${Math.random()}","type":"${type}","timestamp":"${new Date().toISOString()}","body":${body}}`;
const records = (name: string, batch: () => string): Shape =>
  page(name, "records", ({ now }) => `{${VISITOR},"sentAt":"${now}","batch":[${batch()}]}`);
const track = (properties: string) => `{"event":"Door","properties":${properties}}`;
const text = (length: number) => `"${"x".repeat(length)}"`;

function read(name: string, path: string, query = ""): Shape {
  return {
    door: "page",
    name,
    calls: ({ platformId }) => [{ method: "GET", path: `/api/v1/${platformId}/${path}${query}`, as: "page" }],
  };
}

export const PAGE_SHAPES: Shape[] = [
  {
    ...records("20 events", () =>
      Array.from({ length: 20 }, (_, index) => record(index, "track", track("{}"))).join(","),
    ),
    isBaseline: true,
  },
  records("450 small events", () =>
    Array.from({ length: 450 }, (_, index) => record(index, "track", '{"event":"Door"}')).join(","),
  ),
  records("one event with 8,000 properties", () =>
    record(0, "track", track(`{${fill(SIZE, (index) => `"p${index}":1`)}}`)),
  ),
  records("one traits record with 1,900 attributes", () =>
    record(0, "traits", `{${Array.from({ length: 1_900 }, (_, index) => `"few${index}":1`)}}`),
  ),
  records("one text of 120 KB", () => record(0, "traits", `{"about":${text(SIZE)}}`)),
  records("nesting of 60,000 levels", () =>
    record(0, "track", track(`${"[".repeat(SIZE / 2)}${"]".repeat(SIZE / 2)}`)),
  ),
  records("200 aliases", () =>
    Array.from({ length: 200 }, (_, index) => record(index, "alias", `{"anonymous_id":"door-${index}"}`)).join(","),
  ),
  records("events with a user agent, an address and a URL of their own", () =>
    fill(SIZE, (index) =>
      record(
        index,
        "track",
        `{"event":"Door","useragent":"Mozilla/5.0 ${"(".repeat(490)}","url":"https://a.example/${"%20".repeat(400)}"}`,
      ),
    ),
  ),
  records("60,000 records that are numbers", () => fill(SIZE, () => "1")),
  page("a sign-in with a token of 120 KB", "login", () => `{${VISITOR},"access_token":${text(SIZE)}}`),
  page("a sign-in with a token of dots", "login", () => `{${VISITOR},"access_token":"${".".repeat(SIZE)}"}`),
  page("who am I, with a token of 120 KB", "me", () => `{${VISITOR},"access_token":${text(SIZE)}}`),
  read("what a page needs to know", "page"),
  read("the frame of the old library", "remote.html", "?js=/js/latest/muster.js"),
  read("the frame with a URL of 15 KB", "remote.html", `?js=/js/latest/muster.js&url=${"a".repeat(14_000)}`),
  read("the platform for the old library", "remote.json"),
  read("the connectors of the platform", "deployments"),
];
