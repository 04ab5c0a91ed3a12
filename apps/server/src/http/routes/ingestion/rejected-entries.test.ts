import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

describe("an entry that could not be applied", () => {
  const user = { external_id: "rejected" };

  test("is listed once with the reasons, and the rest of the entry is applied", async () => {
    await sender.settle([sender.traits({ user }, { age: 30 })]);
    await sender.settle([sender.traits({ user }, { age: "thirty", born_at: "long ago", plan: "pro" })]);
    expect(await sender.user(user)).toMatchObject({ traits_age: 30, traits_plan: "pro" });
    const answer = await sender.call("GET", "/ingestion/rejected");
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["svc-total-count"]).toBe("1");
    expect(answer.json()).toEqual([
      {
        id: expect.any(Number),
        connector_id: server.first.connector.id,
        code: "invalid_attribute",
        message:
          `The attribute "age" was refused: the attribute's type is numeric, and a string was given. ` +
          'The attribute "born_at" was refused: "long ago" cannot be read as a date.',
        reason: `The attribute "age" was refused: the attribute's type is numeric, and a string was given.`,
        entry: expect.objectContaining({ type: "traits", user, body: { age: "thirty", born_at: "long ago" } }),
        rejected_at: expect.any(String),
        retried_at: null,
      },
    ]);
  });

  test("is listed once also when 1,500 of its attributes are refused", async () => {
    const wide = { external_id: "wide" };
    const before = (await sender.rejected()).length;
    const attributes = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`born_${at}_at`, "long ago"]));
    await sender.settle([sender.traits({ user: wide }, attributes)]);
    const listed = (await sender.rejected()).slice(before);
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({
      message: expect.stringMatching(/^The attribute "born_0_at" was refused.* 1490 more attributes were refused\.$/),
      entry: { body: attributes },
    });
  });

  test("is listed in pages, and for connectors only", async () => {
    expect((await sender.call("GET", "/ingestion/rejected?per_page=1&page=2")).json()).toHaveLength(1);
    expect((await sender.callAs({ user }, "GET", "/ingestion/rejected")).statusCode).toBe(403);
    expect((await server.app.inject({ url: "/api/v1/ingestion/rejected" })).statusCode).toBe(401);
  });

  test("is applied when it is retried after its cause was mended, and is not retried twice", async () => {
    const late = { external_id: "late" };
    await sender.settle([
      sender.traits({ user: late, create: false }, { visits: { operation: "inc", value: 1 } }),
      sender.track({ user: late, create: false }, "Waited"),
    ]);
    const ids = (await sender.rejected()).slice(-2).map(({ id }) => id);
    await sender.settle([sender.traits({ user: late }, {})]);
    const retry = await sender.call("POST", "/ingestion/rejected/retry", { payload: { ids } });
    expect(retry.json()).toEqual({ retried: 2, position: expect.any(String) });
    await sender.waitFor(retry.json().position);
    expect(await sender.user(late)).toMatchObject({ traits_visits: 1 });
    expect(await sender.events({ event: "Waited" })).toHaveLength(1);

    // The remaining entries have values of the wrong type: they are rejected again, and nothing else happens.
    const rest = await sender.call("POST", "/ingestion/rejected/retry", { payload: {} });
    expect(rest.json()).toMatchObject({ retried: 2 });
    await sender.waitFor(rest.json().position);
    expect(await sender.user(late)).toMatchObject({ traits_visits: 1 });
    expect((await sender.rejected()).slice(-2).map(({ code }) => code)).toEqual([
      "invalid_attribute",
      "invalid_attribute",
    ]);
  });

  test("is not retried when none is left, and the answer says so", async () => {
    await server.database.query("update rejected_entries set retried_at = now()");
    const answer = await sender.call("POST", "/ingestion/rejected/retry", { payload: {} });
    expect(answer.json()).toEqual({ retried: 0, position: null });
  });
});

describe("an entry that could not be applied, of another connector", () => {
  const wrong = { age: "forty" };
  let colleague: Sender;
  let ids: number[];
  beforeAll(async () => {
    const created = await server.app.inject({
      method: "POST",
      url: "/api/v1/connectors",
      headers: server.operatorHeaders,
      payload: { name: "Colleague" },
    });
    colleague = new Sender(server, { id: created.json().id, secret: created.json().secret });
    await colleague.settle([colleague.traits({ user: { external_id: "colleague" } }, wrong)]);
    ids = (await colleague.rejected()).map(({ id }) => id);
  });

  test("is shown to its connector and the operator alone", async () => {
    expect(ids).toHaveLength(1);
    expect((await sender.rejected()).map(({ id }) => id)).not.toContain(ids[0]);
    const url = "/api/v1/ingestion/rejected?per_page=1000";
    const all = await server.app.inject({ url, headers: server.operatorHeaders });
    const shown = all.json<{ id: number }[]>().map(({ id }) => id);
    expect(shown).toEqual(expect.arrayContaining([...ids, ...(await sender.rejected()).map(({ id }) => id)]));
    expect(Number(all.headers["svc-total-count"])).toBe(shown.length);
  });

  test("is retried by its connector and the operator alone", async () => {
    const retry = async (headers: Record<string, string>, payload: object) => {
      const url = "/api/v1/ingestion/rejected/retry";
      return (await server.app.inject({ method: "POST", url, headers, payload })).json().retried;
    };
    expect(await retry(sender.headers, { ids })).toBe(0);
    await retry(sender.headers, {});
    expect(await retry(colleague.headers, {})).toBe(1);
    expect(await retry(server.operatorHeaders, { ids })).toBe(1);
  });
});

describe("an entry that PostgreSQL refuses", () => {
  // Longer than PostgreSQL can index, and random so that compression does not shorten it.
  const unstorable = Array.from({ length: 1_000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000)),
  ).join("");

  test("is rejected alone, and all entries around it are applied", async () => {
    const before = (await sender.rejected()).length;
    const batch = Array.from({ length: 40 }, (_, index) =>
      sender.traits({ user: { external_id: index === 17 ? unstorable : `neighbour-${index}` } }, { index }),
    );
    await sender.settle(batch);
    const rejected = (await sender.rejected()).slice(before);
    expect(rejected).toMatchObject([
      { code: "internal", message: expect.stringContaining("could not be stored"), entry: { body: { index: 17 } } },
    ]);
    const known = await Promise.all(batch.map((_, index) => sender.isKnown({ external_id: `neighbour-${index}` })));
    expect(known.filter(Boolean)).toHaveLength(39);
  });

  test("does not stop later entries, and entries around it are not applied twice", async () => {
    const user = { external_id: "beside-poison" };
    const inc = (by: string) => sender.traits({ user }, { total: { operation: "inc", value: 1 }, [by]: true });
    await Promise.all([
      sender.send([inc("a"), sender.entry("alias", { user }, { anonymous_id: unstorable }), inc("b")]),
      sender.send([inc("c"), sender.track({ user }, "Poisoned", { event_id: unstorable }), inc("d")]),
    ]);
    await sender.settle([inc("e")]);
    expect(await sender.user(user)).toMatchObject({ traits_total: 5 });
    expect(await sender.events({ event: "Poisoned" })).toEqual([]);
  });

  test("is recognized also when it holds a character that JSON allows and PostgreSQL does not", async () => {
    const user = { external_id: "strange" };
    const strange = { nul: "a\0b", half: "a\ud800b" };
    await sender.settle([
      sender.traits({ user, account: { domain: "strange.example" } }, strange),
      sender.track({ user }, "Strange", { properties: { ...strange, "k\0ey": 1, "k\ud800ey": 1 } }),
    ]);
    // Unusual values of a user must not prevent a merge of its account.
    await sender.settle([sender.traits({ account: { external_id: "strange" } }, { name: "Strange" })]);
    await sender.settle([
      sender.entry("alias", { account: { external_id: "strange" } }, { domain: "strange.example" }),
    ]);
    await sender.settle([sender.traits({ user }, { fine: true })]);
    expect(await sender.user(user)).toMatchObject({ traits_fine: true, account: { name: "Strange" } });
  });
});

test("numbers of dead letters and rejected entries that are too large for the database are refused", async () => {
  const large = "99999999999999999999999";
  const answers = [
    await sender.call("GET", `/dead_letters/${large}`),
    await sender.call("GET", `/dead_letters?up_to=${large}`),
    await sender.call("POST", "/dead_letters/retry", { payload: { ids: [1e22] } }),
    await sender.call("POST", `/ingestion/rejected/${large}/retry`, { payload: { body: {} } }),
    await sender.call("POST", "/ingestion/rejected/discard", { payload: { ids: [1e22] } }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400, 400, 400]);
});
