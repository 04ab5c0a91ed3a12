import { afterAll, beforeAll, expect, test } from "vitest";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer({ END_USER_NEW_ATTRIBUTES_PER_DAY: "3" });
  sender = new Sender(server);
});
afterAll(() => server.close());

const user = { external_id: "ann" };

/** Sets attributes with the token of an end user, and waits until they are applied. */
async function setAttributes(payload: object, by = sender, who: Parameters<Sender["callAs"]>[0] = { user }) {
  const answer = await by.callAs(who, "PUT", "/me/traits", { payload });
  expect(answer.statusCode).toBe(200);
  await by.waitFor(answer.json().position);
  return answer.json<{ refused_attributes?: { name: string; message: string }[] }>().refused_attributes;
}

const refusedBy = async (by = sender) =>
  (await by.rejected()).map(({ entry, message }) => [Object.keys(entry.body as object).join(), message]);

const NO_MORE = expect.stringContaining("END_USER_NEW_ATTRIBUTES_PER_DAY");

test("end users define a few new attributes of users and accounts in a day, and further ones are refused with the reason", async () => {
  await setAttributes({ one: 1, two: 2 });
  await setAttributes({ three: 3 }, sender, { account: { external_id: "acme" } });
  expect(await setAttributes({ four: 4, one: 11, name: "Ann" })).toEqual([{ name: "four", message: NO_MORE }]);
  await setAttributes({ five: { operation: "inc", value: 1 }, six: { operation: "setIfNull", value: 1 } });
  await setAttributes({ seven: 7 }, sender, { account: { external_id: "acme" } });
  expect(await sender.user(user)).toMatchObject({ traits_one: 11, traits_two: 2, name: "Ann" });
  expect(await refusedBy()).toEqual(["four", "five,six", "seven"].map((name) => [name, NO_MORE]));
  const definitions = (await sender.call("GET", "/settings/user_traits")).json<{ name: string }[]>();
  expect(definitions.map(({ name }) => name).filter((name) => /^(one|two|four|five|six)$/.test(name))).toEqual([
    "one",
    "two",
  ]);
});

test("a connector still defines attributes, and an end user may then write them, with the type that they have", async () => {
  await sender.settle([sender.traits({ user }, { mrr: 10 })]);
  await setAttributes({ mrr: 20 });
  expect(await sender.user(user)).toMatchObject({ traits_mrr: 20 });
  await setAttributes({ mrr: "a lot" });
  expect((await refusedBy()).at(-1)).toEqual(["mrr", expect.stringContaining("type is numeric")]);
});

test("an entry that was refused for that reason can be tried again after the attribute was defined", async () => {
  await setAttributes({ later: "yes" });
  expect((await refusedBy()).at(-1)).toEqual(["later", NO_MORE]);
  const id = (await sender.rejected()).at(-1)?.id;
  await sender.call("PUT", "/settings/user_traits/later?type=string");
  const retried = await sender.call("POST", "/ingestion/rejected/retry", { payload: { ids: [id] } });
  await sender.waitFor(retried.json().position);
  expect(await sender.user(user)).toMatchObject({ traits_later: "yes" });
});

test("unsetting attributes that nobody has defined leaves nothing in the profile", async () => {
  await setAttributes(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`unknown-${index}`, null])));
  const { rows } = await server.database.query<{ state: string }>(
    "select u.state::text as state from users u join user_identifiers i on i.user_id = u.id where i.value = 'ann'",
  );
  expect(rows[0]?.state).not.toContain("unknown-");
});

test("the next day and another organization have an allowance of their own", async () => {
  const globex = await openOrganization(server, "globex");
  await setAttributes({ a: 1, b: 1, c: 1, d: 1 }, globex);
  expect(await refusedBy(globex)).toEqual([["d", NO_MORE]]);
  await server.database.query("update new_name_counts set day = day - interval '1 day'");
  await setAttributes({ d: 1 }, globex);
  expect(await globex.user(user)).toMatchObject({ traits_d: 1 });
});

/** Sends attributes of a browser without a token, from an address. Returns what the page is told. */
async function sendFrom(platform: string, address: string, bid: string, body: object, by: Sender) {
  const record = { id: "1", type: "traits", timestamp: new Date().toISOString(), body };
  const answer = await server.app.inject({
    method: "POST",
    url: `/api/v1/${platform}/records`,
    headers: { "content-type": "text/plain", "svc-organization": await by.organizationId() },
    remoteAddress: address,
    payload: JSON.stringify({ bid, sid: "visit", sentAt: new Date().toISOString(), batch: [record] }),
  });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  const { position, refused_attributes } = answer.json();
  await by.waitFor(position);
  return refused_attributes as { index: number; name: string; message: string }[];
}

test("a flood of browsers takes nothing from users with a token, what it refuses is told and shown, and several networks get a name through", async () => {
  const initech = await openOrganization(server, "initech");
  const headers = { ...server.operatorHeaders, "svc-organization": "initech" };
  const asMember = (url: string, payload: object) =>
    server.app.inject({ method: "POST", url: `/api/v1${url}`, headers, payload });
  const platform = (await asMember("/platforms", { name: "Shop", domains: [] })).json<{ id: string }>().id;
  const flood = { junk_1: 1, junk_2: 1, junk_3: 1, junk_4: 1 };
  expect(await sendFrom(platform, "192.0.2.1", "flooder", flood, initech)).toEqual([
    { index: 0, name: "junk_4", message: NO_MORE },
  ]);
  expect(await sendFrom(platform, "198.51.100.1", "visitor-1", { colour: "red" }, initech)).toMatchObject([
    { name: "colour" },
  ]);
  expect(await setAttributes({ seat: "A1" }, initech)).toBeUndefined();

  const waiting = async () => (await initech.call("GET", "/users/attributes")).json().waiting;
  expect(await waiting()).toMatchObject([
    { name: "colour", type: "string", senders: 1 },
    { name: "junk_4", type: "numeric", senders: 1 },
  ]);
  const { attention } = (await initech.call("GET", "/overview")).json();
  expect(attention).toContainEqual(expect.objectContaining({ kind: "new_names", count: 2, ids: ["attributes"] }));

  // The same network again is one sender, whatever its browsers call themselves.
  for (const address of ["198.51.100.77", "203.0.113.1", "203.0.113.2", "100.64.1.1", "100.64.2.1"]) {
    expect(await sendFrom(platform, address, `at-${address}`, { colour: "red" }, initech)).toHaveLength(1);
  }
  expect(await sendFrom(platform, "100.64.3.1", "last", { colour: "blue" }, initech)).toEqual([]);
  expect(await initech.user({ anonymous_id: "last" })).toMatchObject({ traits_colour: "blue" });
  expect(await waiting()).toMatchObject([{ name: "junk_4" }]);

  // A member defines a name that waits, and the refused record is applied.
  await initech.call("PUT", "/settings/user_traits/junk_4?type=numeric");
  expect(await waiting()).toEqual([]);
  const selection = { code: "invalid_attribute", text: '"junk_4"' };
  const retried = await asMember("/ingestion/rejected/retry", selection);
  expect(retried.json()).toMatchObject({ retried: 1 });
  await initech.waitFor(retried.json().position);
  expect(await initech.user({ anonymous_id: "flooder" })).toMatchObject({ traits_junk_4: 1 });
});
