import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { CarriedIds } from "../../../platforms/carried-ids.js";
import { holdNewMinute } from "../../../testing/new-minute.js";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

const SHOP = "https://shop.test";
const BLOG = "https://www.blog.test:8443";
const SECRET_KEY = "a-key-of-this-test-alone";

let server: TestServer;
let platformId: string;
let otherPlatformId: string;
let sender: Sender;

beforeAll(async () => {
  server = await openTestServer({ BROWSER_RECORDS_PER_MINUTE: "50", SECRET_KEY });
  platformId = await createPlatform(["shop.test", "*.blog.test", "localhost:8081"]);
  otherPlatformId = await createPlatform(["docs.test:8443"]);
  sender = new Sender(server);
});
afterAll(() => server.close());
afterEach(() => void vi.useRealTimers());

async function createPlatform(domains: string[]): Promise<string> {
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/platforms",
    headers: server.operatorHeaders,
    payload: { name: "Shop", domains },
  });
  return created.json<{ id: string }>().id;
}

interface Call {
  origin?: string | undefined;
  address?: string;
  platform?: string;
  agent?: string;
}

function post(path: string, body: object, { origin, address = "192.0.2.1", platform = platformId, agent = "A" }: Call) {
  return server.app.inject({
    method: "POST",
    url: `/api/v1/${platform}${path}`,
    headers: {
      ...(origin === undefined ? {} : { origin }),
      "content-type": "text/plain;charset=UTF-8",
      "user-agent": agent,
    },
    remoteAddress: address,
    payload: JSON.stringify(body),
  });
}

const carry = (body: { bid?: string; to?: string; access_token?: string } = {}, call: Call = {}) =>
  post("/carry", { bid: "browser-1", to: "www.blog.test:8443", ...body }, { origin: SHOP, ...call });
const carried = async (body?: { bid?: string; to?: string; access_token?: string }, call?: Call) =>
  (await carry(body, call)).json<{ carried: string }>().carried;
const arrive = (value: string, { from = "shop.test", ...call }: Call & { from?: string } = {}) =>
  post("/arrive", { carried: value, from }, { origin: BLOG, ...call });
const usedRows = async () => {
  const { rows } = await server.database.query<{ count: string }>("select count(*) from used_carried_ids");
  return Number(rows[0]?.count);
};

describe("an id that a link carries", () => {
  test("is that of the visitor, who comes from the page that asked for it", async () => {
    const answer = await carry({ bid: "browser-of-ann" });
    expect([answer.statusCode, answer.json()]).toEqual([200, { carried: expect.any(String), expires_in: 120 }]);
    const arrived = await arrive(answer.json<{ carried: string }>().carried);
    expect([arrived.statusCode, arrived.json()]).toEqual([200, { bid: "browser-of-ann" }]);
    expect(arrived.headers["access-control-allow-origin"]).toBe(BLOG);
  });

  test("cannot be read in the address", async () => {
    const value = await carried({ bid: "browser-of-ann" });
    expect(value).toMatch(/^[\w-]+$/);
    expect(Buffer.from(value, "base64url").toString("latin1")).not.toMatch(/browser-of-ann|shop/);
  });

  test("works once, also when it is sent in many ways at the same time", async () => {
    const value = await carried();
    const answers = await Promise.all([value, value, `${value}=`, ` ${value}`, value].map((given) => arrive(given)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409, 409, 409]);
    const again = await arrive(value);
    expect([again.statusCode, again.json<{ message: string }>().message]).toEqual([
      409,
      "The carried id was used before: it works once.",
    ]);
  });

  test("works once with several processes", async () => {
    const value = await carried();
    const processes = [1, 2].map(() => new CarriedIds({ database: server.database, secretKey: SECRET_KEY }));
    const arrival = { from: "shop.test", to: "www.blog.test:8443", browser: "" };
    const { id } = server.first.organization;
    const uses = await Promise.allSettled(processes.map((one) => one.arrive(id, value, arrival)));
    expect(uses.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("expires after two minutes", async () => {
    const value = await carried();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 119_000 });
    const inTime = await carried();
    expect((await arrive(value)).statusCode).toBe(200);
    vi.setSystemTime(Date.now() + 120_001);
    const late = await arrive(inTime);
    expect([late.statusCode, late.json<{ message: string }>().message]).toEqual([
      403,
      "The carried id has expired: it lasts two minutes.",
    ]);
  });

  test.each([
    ["at another host", { origin: "https://other.blog.test:8443" }, 403, "is for pages of www.blog.test:8443, not for"],
    ["at another port", { origin: "https://www.blog.test" }, 403, "is for pages of www.blog.test:8443, not for"],
    ["from a mail or another website", { from: "evil.test" }, 403, "for visitors who come from shop.test"],
    ["without the origin of a page", { origin: undefined }, 403, "Only a page of the platform"],
    ["on a page of another website", { origin: "https://evil.test" }, 403, "may not use this platform"],
  ])("is refused %s, and stays usable where it belongs", async (_name, call, status, message) => {
    const value = await carried();
    const answer = await arrive(value, call);
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
    expect((await arrive(value)).statusCode).toBe(200);
  });

  test("of another organization, of another server, or made up is refused", async () => {
    const strange = new CarriedIds({ database: server.database, secretKey: "another key" });
    const to = { browserId: "eve", from: "shop.test", to: "www.blog.test:8443" };
    const { id } = server.first.organization;
    const before = await usedRows();
    const values = [
      strange.carry(id, [{ domains: ["*.blog.test"] }], to),
      new CarriedIds({ database: server.database, secretKey: SECRET_KEY }).carry(
        "another-organization",
        [{ domains: ["*.blog.test"] }],
        to,
      ),
      `${Date.now().toString(36)}.eve`,
      "eve",
      "",
    ];
    for (const value of values) {
      const answer = await arrive(value);
      expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
        400,
        "The carried id was not made by this server for this organization.",
      ]);
    }
    expect(await usedRows()).toBe(before);
  });

  test("is refused when any character was changed", async () => {
    const value = await carried();
    for (let at = 0; at < value.length; at += 7) {
      const changed = `${value.slice(0, at)}${value[at] === "A" ? "B" : "A"}${value.slice(at + 1)}`;
      expect((await arrive(changed, { address: `192.0.2.${100 + at}` })).statusCode, `character ${at}`).toBe(400);
    }
  });

  test.each([
    ["www.blog.test", 200],
    ["localhost:8081", 200],
    ["localhost:8082", 403],
    ["shop.test", 403],
    ["SHOP.test:8443", 403],
    ["blog.test", 403],
    ["evil.test", 403],
    ["shop.test@evil.test", 400],
    ["shop.test/path", 400],
    ["", 400],
  ])("to the host %j is given with status %i", async (to, status) => {
    expect((await carry({ to }, { address: "192.0.2.3" })).statusCode).toBe(status);
  });

  test("is not given to other websites, or without the origin of a page", async () => {
    for (const origin of ["https://evil.test", undefined]) {
      expect((await post("/carry", { bid: "b", to: "shop.test" }, { origin })).statusCode).toBe(403);
    }
  });

  test("is limited like the records of the browser and of its address", async () => {
    holdNewMinute();
    const address = "198.51.100.7";
    const value = await carried({ bid: "busy" }, { address });
    for (let time = 1; time < 50; time += 1) await carry({ bid: "busy" }, { address });
    expect((await carry({ bid: "busy" }, { address })).statusCode).toBe(429);
    expect((await carry({ bid: "calm" }, { address })).statusCode).toBe(200);
    const batch = Array.from({ length: 50 }, (_, at) => {
      return { id: `${at}`, type: "traits", timestamp: 0, body: { at } };
    });
    for (let other = 0; other < 20; other += 1) {
      await post("/records", { bid: `other-${other}`, sid: "s", sentAt: 0, batch }, { origin: SHOP, address });
    }
    expect((await arrive(value, { address })).statusCode).toBe(429);
    expect((await arrive(value, { address: "198.51.100.8" })).statusCode).toBe(200);
  });

  test("leaves nothing behind: each use removes used ones that have expired", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
    const addresses = Array.from({ length: 10 }, (_, at) => `203.0.113.${at}`);
    for (const address of addresses) await arrive(await carried({}, { address }), { address });
    expect(await usedRows()).toBe(addresses.length);
  });
});

describe("the sign-in that a link carries", () => {
  const token = () => sender.token({ user: { external_id: "ann" } });

  test("is that of the user, for the browser that it comes from", async () => {
    const access_token = token();
    const value = await carried({ bid: "ann-1", access_token }, { address: "192.0.2.50" });
    expect(Buffer.from(value, "base64url").toString("latin1")).not.toContain(access_token.slice(0, 12));
    const arrived = await arrive(value, { address: "192.0.2.50" });
    expect(arrived.json()).toEqual({ bid: "ann-1", access_token });
    expect((await arrive(value, { address: "192.0.2.50" })).statusCode).toBe(409);
  });

  test.each([
    ["another network", { address: "198.51.100.50" }],
    ["another browser", { address: "192.0.2.51", agent: "curl" }],
  ])("is not for a thief who has the address of the link and %s, and is used up then", async (_name, thief) => {
    const value = await carried({ bid: "ann-1", access_token: token() }, { address: "192.0.2.51" });
    const stolen = await arrive(value, thief);
    expect(stolen.json()).toEqual({ bid: "ann-1" });
    expect((await arrive(value, { address: "192.0.2.51" })).statusCode).toBe(409);
  });

  test("is left out when the token is not valid, or is one of another organization", async () => {
    const globex = await openOrganization(server, "globex");
    for (const access_token of ["made up", globex.token({ user: { external_id: "ann" } })]) {
      const address = "192.0.2.52";
      const value = await carried({ bid: "ann-1", access_token }, { address });
      expect((await arrive(value, { address })).json()).toEqual({ bid: "ann-1" });
    }
  });

  test("goes to another port of the host, where cookies are the same and the storage is not", async () => {
    const call = { origin: "https://www.blog.test", address: "192.0.2.53" };
    const value = await carried({ access_token: token() }, call);
    const arrived = await arrive(value, { from: "www.blog.test", address: "192.0.2.53" });
    expect(arrived.json()).toMatchObject({ access_token: expect.any(String) });
    expect((await carry({ to: "www.blog.test", access_token: token() }, call)).statusCode).toBe(403);
  });

  test("reaches the pages of the organization's other platforms, and no others", async () => {
    const address = "192.0.2.54";
    const value = await carried({ bid: "ann-2", to: "docs.test:8443", access_token: token() }, { address });
    const there = { origin: "https://docs.test:8443", platform: otherPlatformId, address };
    expect((await arrive(value, there)).json()).toMatchObject({ bid: "ann-2", access_token: expect.any(String) });
    expect((await carry({ to: "evil.test", access_token: token() }, { address })).statusCode).toBe(403);
  });
});
