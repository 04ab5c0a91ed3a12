import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Entity as EntityRecord } from "@muster/protocol/api/entities";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
/** Another connector of the same organization. */
let other: Sender;
let site: Server;
let siteUrl: string;
/** Pages that were asked for and are not answered. */
const hanging: ServerResponse[] = [];

const PAGES: Record<string, string> = {
  "/article": `<html><head><title>Plain title</title><meta property="og:title" content="Caf&eacute; &amp; more">
    <meta name="description" content="About coffee"><meta property="og:image" content="/cup.png"></head>
    <body><meta property="og:title" content="not in the head"></body></html>`,
  "/endless": `<head><meta property="og:title" content="Early"></head>${"x".repeat(100_000)}`,
};

beforeAll(async () => {
  site = createServer((request, response) => {
    const page = PAGES[request.url ?? ""];
    if (request.url?.startsWith("/hangs")) hanging.push(response);
    else if (!page) response.writeHead(404, { "content-type": "text/html" }).end("<title>Not here</title>");
    else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  sender = new Sender(server);
  const { first } = server;
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/connectors",
    headers: server.operatorHeaders,
    payload: { name: "Shop" },
  });
  const { id, secret } = created.json<{ id: string; secret: string }>();
  other = new Sender(server, { id, secret, organization: first.organization.namespace });
});

afterAll(async () => {
  await server.close();
  site.close();
});

async function create(path: string, payload: object, by = sender): Promise<EntityRecord> {
  const answer = await by.call("POST", path, { payload });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  return answer.json();
}

async function find(where: unknown, by = sender): Promise<string[]> {
  const text = typeof where === "string" ? where : `where=${encodeURIComponent(JSON.stringify(where))}`;
  const answer = await by.call("GET", `/entities?${text}`);
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json<EntityRecord[]>().map(({ uid }) => uid);
}

describe("an entity that is created", () => {
  test("has exactly the values it was given", async () => {
    const { id, created_at, updated_at, ...record } = await create("/app/entities", {
      uid: "mug",
      name: "Mug",
      tags: ["kitchen"],
      extra: { price: 12 },
    });
    expect(record).toEqual({
      uid: "mug",
      name: "Mug",
      description: null,
      picture: null,
      type: "entity",
      url: null,
      tags: ["kitchen"],
      extra: { price: 12 },
      meta_tags: {},
      app_id: server.first.connector.id,
      stats: { actions: {}, likes: 0 },
    });
    expect(await sender.object(id)).toEqual({ id, created_at, updated_at, ...record });
  });

  test("without a uid has its id as uid", async () => {
    const { id, uid } = await create("/app/entities", { name: "Nameless" });
    expect(uid).toBe(id);
  });

  test("with a web address as uid has it as url too", async () => {
    const url = `${siteUrl}/article?uid`;
    expect(await create("/app/entities", { uid: url })).toMatchObject({ uid: url, url });
  });

  test("cannot have the uid of another entity of the same owner, but may have that of another owner's entity", async () => {
    await create("/app/entities", { uid: "twice" });
    const again = await sender.call("POST", "/app/entities", { payload: { uid: "twice" } });
    expect([again.statusCode, again.json().error.code]).toEqual([409, "conflict"]);
    await create("/org/entities", { uid: "twice" });
    await create("/app/entities", { uid: "twice" }, other);
  });

  test.for<[string, object, string]>([
    ["a url that is not http or https", { url: "ftp://example.com" }, "body.url"],
    ["an unknown field", { nmae: "x" }, "body.nmae"],
    ["a name that is not text", { name: 7 }, "body.name"],
    ["meta tags", { meta_tags: {} }, "body.meta_tags"],
    ["a uid that is too long", { uid: "é".repeat(1_500) }, "body.uid"],
  ])("is refused with %s", async ([, payload, path]) => {
    const answer = await sender.call("POST", "/app/entities", { payload });
    expect([answer.statusCode, answer.json().error.details[0].path]).toEqual([400, path]);
  });

  test("is refused with the token of a user", async () => {
    const answer = await sender.callAs({ user: { email: "ann@example.com" } }, "POST", "/org/entities", {
      payload: {},
    });
    expect(answer.statusCode).toBe(403);
  });
});

describe("an entity is visible", () => {
  test("to its own connector and to the operator when it belongs to a connector", async () => {
    const { id } = await create("/app/entities", { uid: "secret" });
    expect((await other.call("GET", `/${id}`)).statusCode).toBe(404);
    expect((await other.call("PUT", `/${id}`, { payload: { name: "mine" } })).statusCode).toBe(404);
    expect((await other.call("DELETE", `/${id}`)).statusCode).toBe(404);
    expect(await find({ uid: "secret" }, other)).toEqual([]);
    const operator = await server.app.inject({ url: `/api/v1/${id}`, headers: server.operatorHeaders });
    expect(operator.json().uid).toBe("secret");
  });

  test("to every connector when it belongs to the organization", async () => {
    const { id } = await create("/org/entities", { uid: "shared" });
    expect(await other.object(id)).toMatchObject({ uid: "shared" });
    expect(await other.object(id)).not.toHaveProperty("app_id");
  });

  test("to the connector that it was created for", async () => {
    const appId = (await other.call("GET", "/app")).json().id;
    const { id } = await create(`/${appId}/entities`, { uid: "for the shop" });
    expect(await other.object(id)).toMatchObject({ app_id: appId });
    expect((await sender.call("GET", `/${id}`)).statusCode).toBe(404);
    expect((await sender.call("POST", "/000000000000020000000000/entities", { payload: {} })).statusCode).toBe(404);
  });
});

describe("an entity that is changed", () => {
  test("keeps values that are not sent and loses values that are null", async () => {
    const { id } = await create("/app/entities", { uid: "lamp", name: "Lamp", description: "Bright", extra: { w: 5 } });
    const answer = await sender.call("PUT", `/${id}`, { payload: { description: null, extra: { w: 7 } } });
    expect(answer.json()).toMatchObject({ uid: "lamp", name: "Lamp", description: null, extra: { w: 7 } });
  });

  test("is refused values of the wrong type", async () => {
    const { id } = await create("/app/entities", {});
    const answer = await sender.call("PUT", `/${id}`, { payload: { tags: "red" } });
    expect([answer.statusCode, answer.json().error.details[0].path]).toEqual([400, "body.tags"]);
  });

  test("is refused fields that cannot be changed, and the answer names each of them once", async () => {
    const { id } = await create("/app/entities", {});
    const answer = await sender.call("PUT", `/${id}`, { payload: { uid: "new", name: "New", nmae: "x" } });
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      {
        code: "invalid_parameter",
        message: "body.uid cannot be changed.",
        details: [
          { path: "body.uid", message: "cannot be changed" },
          { path: "body.nmae", message: "is not known here" },
        ],
      },
    ]);
  });

  test("cannot be read after it was deleted", async () => {
    const { id } = await create("/app/entities", { uid: "gone" });
    expect((await sender.call("DELETE", `/${id}`)).json()).toEqual({ id, deleted: true });
    expect((await sender.call("GET", `/${id}`)).statusCode).toBe(404);
    expect((await sender.call("DELETE", `/${id}`)).statusCode).toBe(404);
  });
});

describe("entities are found", () => {
  beforeAll(async () => {
    await create("/app/entities", {
      uid: "f1",
      type: "fruit",
      name: "Apple",
      tags: ["red", "round"],
      extra: { kg: 1 },
    });
    await create("/app/entities", {
      uid: "f2",
      type: "fruit",
      name: "Pear",
      tags: ["green"],
      extra: { kg: 2, bio: true },
    });
    await create("/app/entities", {
      uid: "f3",
      type: "fruit",
      description: "nameless",
      extra: { from: { land: "FR" } },
    });
  });

  test.for<[string, unknown, string[]]>([
    ["by a value", { type: "fruit", name: "Apple" }, ["f1"]],
    ["by one of several", { type: "fruit", name: ["Apple", "Pear"] }, ["f1", "f2"]],
    ["by an element of a list", { type: "fruit", tags: "green" }, ["f2"]],
    ["by a missing value", { type: "fruit", name: null }, ["f3"]],
    ["by a number", { type: "fruit", "extra.kg": 2 }, ["f2"]],
    ["not by a text that looks like the number", { type: "fruit", "extra.kg": "2" }, []],
    ["by a nested value", { "extra.from.land": "FR" }, ["f3"]],
    ["by a nested value, written as an object", { extra: { from: { land: "FR" } } }, ["f3"]],
    ["by either of two", { type: "fruit", $or: [{ name: "Pear" }, { description: "nameless" }] }, ["f2", "f3"]],
    ["by both of two", { $and: [{ tags: "red" }, { tags: "round" }] }, ["f1"]],
    ["by uid", { uid: "f2" }, ["f2"]],
    ["never by an empty list", { $or: [] }, []],
    ["in brackets", "where[type]=fruit&where[name]=Pear", ["f2"]],
    ["in brackets, by a number", "where[type]=fruit&where[extra][kg]=2", ["f2"]],
    ["in brackets, by a boolean", "where[extra][bio]=true", ["f2"]],
    ["in brackets, by either", "where[$or][0][name]=Pear&where[$or][1][name]=Apple", ["f1", "f2"]],
  ])("%s", async ([, where, uids]) => {
    expect(await find(where)).toEqual(uids);
  });

  test("by page, with the total in a header", async () => {
    const answer = await sender.call("GET", "/entities?where[type]=fruit&per_page=2&page=2");
    expect(answer.json<EntityRecord[]>().map(({ uid }) => uid)).toEqual(["f3"]);
    expect(answer.headers["svc-total-count"]).toBe("3");
    expect(answer.headers.link).toContain("where%5Btype%5D=fruit");
  });

  test.for<[string, unknown, string]>([
    ["an unknown operator", { $nor: [] }, "where.$nor"],
    ["an unknown field", { colour: "red" }, "where.colour"],
    ["an $or that is not a list", { $or: { name: "x" } }, "where.$or"],
    ["an operator for a value", { name: { $gt: 1 } }, "where.name.$gt"],
    ["a filter that is not an object", ["name"], "where"],
  ])("not with %s", async ([, where, path]) => {
    const answer = await sender.call("GET", `/entities?where=${encodeURIComponent(JSON.stringify(where))}`);
    expect([answer.statusCode, answer.json().error.code, answer.json().error.details[0].path]).toEqual([
      400,
      "invalid_query",
      path,
    ]);
  });

  test("not with text that is not JSON, and SQL in values and names has no effect", async () => {
    expect((await sender.call("GET", "/entities?where=name")).statusCode).toBe(400);
    for (const name of ["constructor", "__proto__"]) {
      expect((await sender.call("GET", `/entities?where[${name}]=x`)).statusCode).toBe(400);
    }
    expect(await find({ name: "' or true --", type: "fruit" })).toEqual([]);
    expect((await sender.call("GET", "/entities?where[name'%20or%20true%20--]=x")).statusCode).toBe(400);
  });
});

describe("an entity with a url", () => {
  const read = (id: string, by = sender) =>
    vi.waitFor(
      async () => {
        const record = (await by.object(id)) as unknown as EntityRecord;
        expect(record.meta_tags).not.toEqual({});
        return record;
      },
      { timeout: 10_000, interval: 50 },
    );

  test("gets the name, description and picture that it lacks from its page", async () => {
    const { id } = await create("/app/entities", { url: `${siteUrl}/article`, description: "My own words" });
    expect(await read(id)).toMatchObject({
      uid: `${siteUrl}/article`,
      name: "Café & more",
      description: "My own words",
      picture: `${siteUrl}/cup.png`,
      meta_tags: { title: "Café & more", description: "About coffee", image: `${siteUrl}/cup.png` },
    });
    expect(await find({ picture: `${siteUrl}/cup.png` })).toEqual([]);
    expect(
      await find({ $or: [{ picture: `${siteUrl}/cup.png` }, { "meta_tags.image": `${siteUrl}/cup.png` }] }),
    ).toEqual([`${siteUrl}/article`]);
  });

  test("waits for no pages of another organization", async () => {
    for (let page = 0; page < 10; page++) await create("/app/entities", { uid: `${siteUrl}/hangs/${page}` });
    await vi.waitFor(() => expect(hanging).toHaveLength(2), { timeout: 10_000, interval: 50 });
    const elsewhere = await openOrganization(server, "elsewhere");
    const { id } = await create("/app/entities", { uid: `${siteUrl}/article` }, elsewhere);
    expect(await read(id, elsewhere)).toMatchObject({ name: "Café & more" });
    expect(hanging).toHaveLength(2);
    await server.database.query("update entities set fetch_at = null where document ->> 'url' like '%/hangs/%'");
    for (const response of hanging) response.end();
  });

  test("has only the head of its page read, and the page of a new url as well", async () => {
    const { id } = await create("/app/entities", { uid: `${siteUrl}/endless` });
    expect(await read(id)).toMatchObject({ url: `${siteUrl}/endless`, name: "Early" });
    const moved = await sender.call("PUT", `/${id}`, { payload: { url: `${siteUrl}/article` } });
    expect(moved.json()).toMatchObject({ url: `${siteUrl}/article`, meta_tags: {} });
    expect(await read(id)).toMatchObject({ name: "Café & more" });
  });
});

describe("a track entry about an entity", () => {
  const ann = { user: { email: "ann@example.com" } };
  const bob = { user: { email: "bob@example.com" } };

  test("creates it once, and it belongs to the connector that sent the entry", async () => {
    await sender.settle([
      sender.track(ann, "Viewed", { entity_id: "sku-1" }),
      sender.track(bob, "Viewed", { entity_id: "sku-1" }),
    ]);
    await sender.settle([sender.track(ann, "Viewed", { entity_id: "sku-1" })]);
    expect(await find({ uid: "sku-1" })).toEqual(["sku-1"]);
    expect(await find({ uid: "sku-1" }, other)).toEqual([]);
    const [entity] = (await sender.call("GET", "/entities?where[uid]=sku-1")).json<EntityRecord[]>();
    expect(entity).toMatchObject({ app_id: server.first.connector.id, stats: { actions: { Viewed: 3 }, likes: 0 } });
    const events = await sender.events({ event: "Viewed" });
    expect(events.map(({ entity_id }) => entity_id)).toEqual([entity?.id, entity?.id, entity?.id]);
  });

  test("by its url creates one with that url", async () => {
    await sender.settle([sender.track(ann, "Read", { entity_url: `${siteUrl}/article?2` })]);
    const [entity] = (await sender.call("GET", `/entities?where[url]=${siteUrl}/article?2`)).json<EntityRecord[]>();
    expect(entity).toMatchObject({ uid: `${siteUrl}/article?2`, stats: { actions: { Read: 1 } } });
  });

  test("uses one of the organization instead of creating it, and finds one by its object id", async () => {
    const { id } = await create("/org/entities", { uid: "common" });
    await sender.settle([
      sender.track(ann, "Shared", { entity_id: "common" }),
      sender.track(ann, "Shared again", { entity_id: id }),
    ]);
    expect(await sender.object(id)).toMatchObject({ stats: { actions: { Shared: 1, "Shared again": 1 } } });
    const search = await sender.call("POST", "/search/events", { payload: { query: { term: { entity_id: id } } } });
    expect(search.json().pagination.total).toBe(2);
  });

  test("is applied without an entity that does not exist or is not visible, and this is reported", async () => {
    const hidden = await create("/app/entities", { uid: "hidden" }, other);
    await sender.settle([
      sender.track(ann, "Missed", { entity_id: hidden.id }),
      sender.track(ann, "Missed", { entity_url: "javascript:alert(1)" }),
    ]);
    const events = await sender.events({ event: "Missed" });
    expect(events.map((event) => "entity_id" in event)).toEqual([false, false]);
    expect((await sender.rejected()).map(({ code, message }) => [code, message])).toEqual([
      ["not_found", `There is no entity "${hidden.id}". The event was kept without it.`],
      ["invalid_entry", `"javascript:alert(1)" is not an http or https address. The event was kept without it.`],
    ]);
  });

  test("counts likes by the last event of each user", async () => {
    const at = (seconds: number) => new Date(Date.now() - 60_000 + seconds * 1_000);
    await sender.settle([
      sender.track(bob, "like", { entity_id: "song-1" }, at(1)),
      sender.track(bob, "like", { entity_id: "song-2" }, at(2)),
      sender.track(bob, "unlike", { entity_id: "song-1" }, at(3)),
      sender.track(bob, "like", { entity_id: "song-3" }, at(4)),
      sender.track(ann, "like", { entity_id: "song-3" }, at(5)),
      sender.track(bob, "like", {}, at(6)),
    ]);
    const { id } = await sender.user(bob.user);
    expect(await sender.object(id)).toMatchObject({ stats: { liked: 2 } });
    const [song] = (await sender.call("GET", "/entities?where[uid]=song-3")).json<EntityRecord[]>();
    expect(song?.stats).toEqual({ actions: { like: 2 }, likes: 2 });
  });

  test("creates no entity when the entry is refused", async () => {
    const nobody = { user: { email: "nobody@example.com" }, create: false };
    await sender.settle([sender.track(nobody, "Viewed", { entity_id: "never" })]);
    expect(await find({ uid: "never" })).toEqual([]);
  });
});
