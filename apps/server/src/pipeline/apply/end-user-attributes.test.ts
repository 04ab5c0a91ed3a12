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
}

const refusedBy = async (by = sender) =>
  (await by.rejected()).map(({ entry, message }) => [Object.keys(entry.body as object).join(), message]);

const NO_MORE = expect.stringContaining("END_USER_NEW_ATTRIBUTES_PER_DAY");

test("end users define a few new attributes of users and accounts in a day, and further ones are refused with the reason", async () => {
  await setAttributes({ one: 1, two: 2 });
  await setAttributes({ three: 3 }, sender, { account: { external_id: "acme" } });
  await setAttributes({ four: 4, one: 11, name: "Ann" });
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
  await server.database.query("update attribute_definitions set created_at = created_at - interval '1 day'");
  await setAttributes({ d: 1 }, globex);
  expect(await globex.user(user)).toMatchObject({ traits_d: 1 });
});
