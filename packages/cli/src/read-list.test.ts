import { createBrand } from "@muster/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../../testing/start-web-server.js";
import { Api } from "./api.js";
import { readList } from "./read-list.js";

type Paging = "link" | "total" | "none" | "everything";

const ITEMS = Array.from({ length: 2_500 }, (_, index) => index);

let server: WebServer;
let paging: Paging;
let requests: string[];
beforeEach(async () => {
  requests = [];
  server = await startWebServer((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? "/", "http://server");
    requests.push(`${pathname}${searchParams.has("type") ? "?type" : ""} ${searchParams.get("page")}`);
    const [page, perPage] = [Number(searchParams.get("page")), Number(searchParams.get("per_page"))];
    const isPaged = paging === "link" || paging === "total";
    const items = isPaged ? ITEMS.slice((page - 1) * perPage, page * perPage) : ITEMS;
    const pages = Math.ceil(ITEMS.length / perPage);
    if (paging === "link" && page < pages) {
      response.setHeader(
        "link",
        '<http://elsewhere.example/first>; rel="first", <http://elsewhere.example/>; rel="next"',
      );
    }
    if (paging === "total" || paging === "everything") response.setHeader("Svc-Total-Count", String(ITEMS.length));
    response.end(JSON.stringify(items));
  });
});
afterEach(() => server.close());

const api = () => new Api({ url: server.url, token: "t", brand: createBrand(), organization: undefined });

describe.each(["link", "total"] as const)("a list with pages (%s header)", (kind) => {
  beforeEach(() => {
    paging = kind;
  });

  test("is read to its end, from the server we know", async () => {
    expect(await readList(api(), "/things")).toEqual(ITEMS);
    expect(requests).toEqual(["/api/v1/things 1", "/api/v1/things 2", "/api/v1/things 3"]);
  });

  test("is read up to the limit", async () => {
    expect(await readList(api(), "/things?type=x", 30)).toEqual(ITEMS.slice(0, 30));
    expect(await readList(api(), "/things?type=x", 1_200)).toEqual(ITEMS.slice(0, 1_200));
    expect(requests).toEqual(["/api/v1/things?type 1", "/api/v1/things?type 1", "/api/v1/things?type 2"]);
  });
});

test.each(["none", "everything"] as const)("a list without pages is read once (%s)", async (kind) => {
  paging = kind;
  expect(await readList(api(), "/things")).toEqual(ITEMS);
  expect(await readList(api(), "/things", 5)).toEqual(ITEMS.slice(0, 5));
  expect(requests).toEqual(["/api/v1/things 1", "/api/v1/things 1"]);
});
