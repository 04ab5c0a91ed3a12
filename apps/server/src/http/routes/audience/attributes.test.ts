import type { Attribute as AttributeRecord, ReportKey as SchemaField } from "@muster/protocol/api/attributes";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Job } from "../../../domain/jobs/job.js";
import { rewriteAttribute } from "../../../jobs/rewrite/attribute-job.js";
import { createMetrics } from "../../../runtime/measures/metrics.js";
import { changeType } from "../../../storage/postgres/definitions/attribute-rows.js";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

const LIMITS = { mergesPerDay: 10, maxAnonymousIds: 10, maxSubjectBytes: 1_000_000 };

let server: TestServer;
let sender: Sender;

const ann = { user: { email: "ann@example.com" } };
const acme = { account: { domain: "acme.example" } };

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  await sender.settle([
    sender.traits(ann, {
      plan: "pro",
      mrr: 12,
      vip: true,
      langs: ["fr"],
      signed_at: "2024-01-01",
      "crm/stage": "lead",
    }),
    sender.traits({ user: { email: "bob@example.com" } }, { plan: "free" }),
    sender.traits({ ...acme, subject: "account" }, { name: "Acme", size: 50 }),
  ]);
});

afterAll(() => server.close());

async function definition(path: string): Promise<AttributeRecord> {
  const answer = await sender.call("GET", path);
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json();
}

async function put(path: string, payload?: object): Promise<AttributeRecord> {
  const answer = await sender.call("PUT", path, payload ? { payload } : {});
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json();
}

const searched = async (email = "ann@example.com") => {
  const payload = { query: { term: { email } } };
  const answer = await sender.call("POST", "/search/user_reports", { payload });
  return answer.json<{ data: Record<string, unknown>[] }>().data[0] ?? {};
};

describe("definitions", () => {
  test("are listed with their types and the number of subjects that have a value", async () => {
    const all = (await sender.call("GET", "/settings/user_traits")).json<AttributeRecord[]>();
    expect(all.map(({ name, type, count }) => [name, type, count])).toEqual([
      ["crm/stage", "string", 1],
      ["langs", "array", 1],
      ["mrr", "numeric", 1],
      ["plan", "string", 2],
      ["signed_at", "date", 1],
      ["vip", "boolean", 1],
    ]);
    const accounts = (await sender.call("GET", "/settings/account_traits")).json<AttributeRecord[]>();
    expect(accounts.map(({ name, key, type }) => [name, key, type])).toEqual([["size", "size", "numeric"]]);
  });

  test("say when a record carried the attribute last, and not when the definition was edited", async () => {
    const path = "/settings/user_traits/mrr";
    const seen = "2026-01-01T00:00:00.000Z";
    await server.database.query("update attribute_definitions set last_seen_at = $1", [seen]);
    // The server remembers what it has stored within the last minute, as long as the revision is the same.
    await server.database.query("update organizations set attributes_revision = gen_random_uuid()");
    await put(path, { visible: true });
    expect((await definition(path)).last_seen_at).toBe(seen);
    const before = Date.now();
    await sender.settle([sender.traits(ann, { mrr: 12, plan: 7 })]);
    expect(Date.parse((await definition(path)).last_seen_at ?? "")).toBeGreaterThanOrEqual(before - 1_000);
    // The value of this one was refused, and others were not mentioned.
    expect((await definition("/settings/user_traits/plan")).last_seen_at).toBe(seen);
    expect((await definition("/settings/user_traits/vip")).last_seen_at).toBe(seen);
    expect((await put("/settings/user_traits/unheard?type=string")).last_seen_at).toBe(null);
    await server.database.query("delete from attribute_definitions where name = 'unheard'");
  });

  test("are paged when a page is requested", async () => {
    const answer = await sender.call("GET", "/settings/user_traits?per_page=2&page=2");
    expect(answer.json<AttributeRecord[]>().map(({ name }) => name)).toEqual(["mrr", "plan"]);
    expect(answer.headers["svc-total-count"]).toBe("6");
  });

  test.for(["crm/stage", "crm%2Fstage", "traits_crm/stage", "traits_crm%2Fstage"])("are found by %s", async (name) => {
    expect(await definition(`/settings/user_traits/${name}`)).toEqual({
      name: "crm/stage",
      key: "traits_crm/stage",
      type: "string",
      visible: true,
      track_changes: true,
      server_only: true,
      label: "",
      description: "",
      group: "crm",
      source: expect.stringContaining(server.first.connector.id),
      first_seen_at: expect.any(String),
      last_seen_at: expect.any(String),
      count: 1,
    });
  });

  test("that do not exist are 404", async () => {
    expect((await sender.call("GET", "/settings/user_traits/nothing")).statusCode).toBe(404);
    expect((await sender.call("GET", "/settings/account_traits/plan")).statusCode).toBe(404);
  });
});

describe("a definition that is put", () => {
  test("is created when it does not exist, and its type is enforced from then on", async () => {
    expect(await put("/settings/user_traits/zip?type=string&track_changes=false")).toMatchObject({
      name: "zip",
      type: "string",
      visible: true,
      track_changes: false,
      count: 0,
    });
    await sender.settle([sender.traits(ann, { zip: 75_001 })]);
    const [refused] = (await sender.rejected()).filter(({ message }) => message.includes('"zip"'));
    expect(refused?.code).toBe("invalid_attribute");
  });

  test.for(["boolean", "date", "numeric", "string"])(
    "can have the type %s, for users and for accounts",
    async (type) => {
      for (const list of ["user_traits", "account_traits"]) {
        const path = `/settings/${list}/of_type_${type}`;
        expect(await put(`${path}?type=${type}`)).toMatchObject({ name: `of_type_${type}`, type });
        expect(await definition(path)).toMatchObject({ type, visible: true, track_changes: true });
      }
    },
  );

  test("may have its parameters in the body, and a name with slashes and percent signs", async () => {
    const name = "shop/100% off.today";
    expect(await put(`/settings/account_traits/${encodeURIComponent(name)}`, { type: "boolean" })).toMatchObject({
      name,
      type: "boolean",
      group: "shop",
    });
    await sender.settle([sender.traits({ ...acme, subject: "account" }, { [name]: true })]);
    expect(await definition(`/settings/account_traits/${encodeURIComponent(name)}`)).toMatchObject({ count: 1 });
  });

  test("may say how people call it and what it means, and its name and flags stay", async () => {
    const url = "/settings/user_traits/plan";
    const words = { label: "Plan", description: "What the customer pays for." };
    await sender.call("PUT", url, { payload: words });
    await sender.call("PUT", url, { payload: { track_changes: true } });
    expect((await sender.call("GET", url)).json()).toMatchObject({ name: "plan", key: "traits_plan", ...words });
    const long = await sender.call("PUT", url, { payload: { label: "x".repeat(201) } });
    expect(long.statusCode).toBe(400);
  });

  test("cannot get another type", async () => {
    const answer = await sender.call("PUT", "/settings/user_traits/mrr?type=string");
    expect([answer.statusCode, answer.json().error.code]).toEqual([409, "conflict"]);
    expect(await put("/settings/user_traits/mrr?type=numeric")).toMatchObject({ type: "numeric" });
  });

  test.for<[string, string]>([
    ["an unknown type", "mrr?type=money"],
    ["a flag that is not a boolean", "mrr?visible=perhaps"],
    ["a standard field", "email?visible=false"],
  ])("is refused with %s", async ([, path]) => {
    expect((await sender.call("PUT", `/settings/user_traits/${path}`)).statusCode).toBe(400);
  });
});

describe("an attribute that is not visible", () => {
  test("is left out of reports and search results at once, and is back at once when shown again", async () => {
    const { id } = await sender.user(ann.user);
    const seen = async () => [
      "traits_vip" in (await sender.user(ann.user)),
      "traits_vip" in (await sender.call("GET", `/${id}/user_report`)).json(),
      "traits_vip" in (await searched()),
    ];
    expect(await seen()).toEqual([true, true, true]);
    await put("/settings/user_traits/vip?visible=false");
    expect(await seen()).toEqual([false, false, false]);
    // A value that is written while the attribute is hidden must be there when it is shown again.
    await sender.settle([sender.traits(ann, { vip: false, langs: ["de"] })]);
    expect(await seen()).toEqual([false, false, false]);
    await put("/settings/user_traits/vip?visible=true");
    expect(await searched()).toMatchObject({ traits_vip: false, traits_langs: ["de"] });
  });

  test("of an account is also left out of the reports of its users", async () => {
    await sender.settle([sender.traits({ ...ann, ...acme }, {})]);
    expect(await searched()).toMatchObject({ account: { size: 50 } });
    await put("/settings/account_traits/size?visible=false");
    expect((await searched()).account).not.toHaveProperty("size");
    expect((await sender.user(ann.user)).account).not.toHaveProperty("size");
    await put("/settings/account_traits/size?visible=true");
  });
});

test("a change of an attribute without change tracking records no event, and a change of another one does", async () => {
  const changesOf = async () => {
    const payload = { query: { term: { event: "attributes_changed" } }, sort: { created_at: "asc" } };
    const { data } = (await sender.call("POST", "/search/events", { payload })).json();
    return data.map(({ properties }: { properties: { changes: object } }) => properties.changes);
  };
  const before = await changesOf();
  await put("/settings/user_traits/mrr?track_changes=false");
  await sender.settle([sender.traits(ann, { mrr: 99 })]);
  expect(await changesOf()).toEqual(before);
  await sender.settle([sender.traits(ann, { mrr: 100, plan: "team" })]);
  expect((await changesOf()).slice(before.length)).toEqual([{ plan: { from: "pro", to: "team" } }]);
});

describe("the schema", () => {
  test("of users has every key of the report and of the account", async () => {
    const fields = (await sender.call("GET", "/users/schema")).json<SchemaField[]>();
    const field = (key: string) => fields.find((one) => one.key === key);
    expect(field("email")).toMatchObject({ type: "string", configurable: false });
    expect(field("traits_mrr")).toMatchObject({ type: "number", configurable: true, visible: true });
    expect(field("account.size")).toMatchObject({ type: "number", configurable: true });
    expect(field("account.domain")).toMatchObject({ configurable: false });
    const reported = Object.keys(await searched()).filter((key) => key !== "account");
    expect(reported.filter((key) => !field(key))).toEqual([]);
  });

  test("of accounts has no keys of users", async () => {
    const keys = (await sender.call("GET", "/accounts/schema")).json<SchemaField[]>().map(({ key }) => key);
    expect(keys).toContain("size");
    expect(keys.filter((key) => key.startsWith("account.") || key.startsWith("traits_"))).toEqual([]);
  });

  test("is also available as a tree by group", async () => {
    const { version, tree } = (await sender.call("GET", "/search/user_reports/bootstrap")).json();
    const group = (text: string) => tree.find((one: { text: string }) => one.text === text)?.children;
    expect(version).toBe("new");
    expect(group("crm")).toEqual([{ id: "traits_crm/stage", text: "crm/stage", type: "string" }]);
    expect(group("attributes")).toContainEqual({ id: "traits_plan", text: "plan", type: "string" });
    expect(group("account").map(({ id }: { id: string }) => id)).toContain("account.size");
  });
});

test("a change of an account's attribute keeps the name of the attribute, and obeys its own definition", async () => {
  const changesOf = async () => {
    const payload = { query: { term: { event: "attributes_changed" } }, sort: { created_at: "asc" } };
    const { data } = (await sender.call("POST", "/search/events", { payload })).json();
    return data.map(({ properties }: { properties: { changes: object } }) => properties.changes);
  };
  const account = { account: { external_id: "prefixed" }, subject: "account" as const };
  await sender.settle([sender.traits(account, { traits_tier: "one", tier: 1 })]);
  await put("/settings/account_traits/tier?track_changes=false");
  const before = await changesOf();
  await sender.settle([sender.traits(account, { traits_tier: "two", tier: 2 })]);
  expect((await changesOf()).slice(before.length)).toEqual([{ traits_tier: { from: "one", to: "two" } }]);
});

describe("an attribute of everybody", () => {
  const people = ["r-1", "r-2", "r-3", "r-4"].map((external_id) => ({ user: { external_id } }));
  const post = (path: string, payload: object) => sender.call("POST", `/attributes/${path}`, { payload });
  const age = async (external_id: string) => (await sender.user({ external_id })).traits_age_text;
  const found = async (query: object) => {
    const answer = await sender.call("POST", "/search/user_reports", {
      payload: { query, sort: { external_id: "asc" } },
    });
    return answer.json<{ data: { external_id: string }[] }>().data.map(({ external_id }) => external_id);
  };
  const ended = async (id: string) => {
    await vi.waitUntil(async () => (await sender.call("GET", `/${id}`)).json().status === "completed", {
      timeout: 20_000,
    });
    return (await sender.call("GET", `/${id}`)).json();
  };

  test("gets another type after a preview, and what cannot be converted is unset", async () => {
    const values = ["31", " 45.5 ", "old", undefined];
    await sender.settle(
      people.flatMap((who, n) => (values[n] === undefined ? [] : [sender.traits(who, { age_text: values[n] })])),
    );
    await sender.call("PUT", "/settings/user_traits/age_text", { payload: { label: "Age" } });
    const request = { object: "users", name: "traits_age_text", type: "numeric" };
    expect((await post("preview", request)).json()).toEqual({
      total: 3,
      checked: 3,
      converted: 2,
      lost: 1,
      examples: [{ id: expect.any(String), value: "old", reason: expect.stringContaining("numeric") }],
      segments: [],
    });
    const job = await post("convert", request);
    expect([job.statusCode, job.json()]).toEqual([201, expect.objectContaining({ type: "rewrite", object: "users" })]);
    expect(await ended(job.json().id)).toMatchObject({ result: { changed: 3, lost: 1 } });
    expect(await Promise.all(["r-1", "r-2", "r-3"].map(age))).toEqual([31, 45.5, undefined]);
    expect(await found({ range: { age_text: { gt: 40 } } })).toEqual(["r-2"]);
    expect(await definition("/settings/user_traits/age_text")).toMatchObject({
      type: "numeric",
      count: 2,
      label: "Age",
    });
    await sender.settle([sender.traits(people[3]!, { age_text: 50 }), sender.traits(people[0]!, { age_text: "32" })]);
    expect(await found({ range: { age_text: { gt: 40 } } })).toEqual(["r-2", "r-4"]);
    expect((await sender.rejected()).at(-1)?.message).toContain("type is numeric");
  });

  test("is converted back, and is found by its first type again", async () => {
    const job = await post("convert", { name: "age_text", type: "string" });
    await ended(job.json().id);
    expect(await age("r-2")).toBe("45.5");
    expect(await found({ term: { age_text: "45.5" } })).toEqual(["r-2"]);
  });

  test("is deleted everywhere unless segments ask for it, and may be defined anew afterwards", async () => {
    const segment = { name: "Aged", query: { exists: { field: "age_text" } }, predicate: {} };
    const { id } = (await sender.call("POST", "/users_segments", { payload: segment })).json<{ id: string }>();
    const refused = await post("delete", { name: "age_text" });
    expect([refused.statusCode, refused.json().message]).toEqual([409, expect.stringContaining('"Aged"')]);
    await sender.call("DELETE", `/${id}`);
    const job = (await post("delete", { name: "age_text" })).json<{ id: string }>();
    expect((await sender.call("DELETE", `/${job.id}`)).statusCode).toBe(409);
    expect(await ended(job.id)).toMatchObject({ result: { changed: 4 } });
    expect((await sender.call("GET", "/settings/user_traits/age_text")).statusCode).toBe(404);
    expect(await age("r-2")).toBeUndefined();
    const { rows } = await server.database.query("select id from users where state::text like '%age_text%'");
    expect(rows).toEqual([]);
    await sender.settle([sender.traits(people[0]!, { age_text: true })]);
    expect(await definition("/settings/user_traits/age_text")).toMatchObject({ type: "boolean", count: 1 });
    expect(await found({ term: { age_text: true } })).toEqual(["r-1"]);
  });

  test("is rewritten once when the process dies after a page and before its checkpoint", async () => {
    const many = Array.from({ length: 620 }, (_, n) => ({ user: { external_id: `many-${n}` } }));
    await sender.settle(many.map((who) => sender.traits(who, { height: "180" })));
    const organizationId = await sender.organizationId();
    await changeType(server.database, organizationId, "user", "height", "numeric");
    const progress = { processed: 0, total: null, rejected: 0, processedBytes: 0, totalBytes: null };
    const job = { organizationId, object: "users", checkpoint: {}, progress } as Job;
    const run = (save: () => Promise<void>) =>
      rewriteAttribute(
        { database: server.database, applyRules: LIMITS, metrics: createMetrics(), relaySoon() {} },
        { job, signal: AbortSignal.timeout(30_000), save },
        { kind: "convert_attribute", name: "height", type: "numeric" },
      );
    let saved = 0;
    const killed = run(async () => {
      saved++;
      if (saved === 2) throw new Error("killed");
    });
    await expect(killed).rejects.toThrow("killed");
    // Nothing of the first run is known: all pages are read again, and only values that are left are converted.
    const { result } = await run(async () => {});
    expect(result).toMatchObject({ lost: 0 });
    expect(result.changed).toBeLessThan(620);
    const { rows } = await server.database.query<{ state: string }>(
      `select state::text as state from users where state::text like '%"height"%'`,
    );
    expect(rows).toHaveLength(620);
    expect(JSON.stringify(rows)).not.toContain('"180"');
  });

  test("must exist and be none of the standard fields", async () => {
    expect((await post("delete", { name: "nothing" })).statusCode).toBe(404);
    expect((await post("convert", { name: "email", type: "json" })).statusCode).toBe(400);
    expect((await post("convert", { object: "accounts", name: "plan", type: "json" })).statusCode).toBe(404);
  });
});
