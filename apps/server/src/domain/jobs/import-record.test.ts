import { createId } from "@muster/protocol";
import { describe, expect, test } from "vitest";
import type { Entry } from "../entries/entry.js";
import { ImportReader, type ImportRules } from "./import-record.js";

const AT = Date.UTC(2025, 0, 1);

function rules(changes: Partial<ImportRules> = {}): ImportRules {
  return {
    object: "users",
    connectorId: "the connector",
    jobId: "the job",
    at: AT,
    writtenAt: AT,
    overwrite: true,
    notify: true,
    defaults: {},
    announces: undefined,
    ...changes,
  };
}

function readImportRecord(record: unknown, line: number, given: ImportRules): Entry[] | string {
  return new ImportReader(given).read(record, line);
}

function read(record: unknown, changes: Partial<ImportRules> = {}): Entry[] {
  const entries = readImportRecord(record, 7, rules(changes));
  if (typeof entries === "string") throw new Error(entries);
  return entries;
}

describe("a user", () => {
  test("may have identifiers and attributes side by side", () => {
    const [entry, ...others] = read({ external_id: "u1", email: "Ann@Example.com", name: "Ann", plan: "pro" });
    expect(entry).toEqual({
      type: "traits",
      at: AT,
      writtenAt: AT,
      connectorId: "the connector",
      jobId: "the job",
      line: 7,
      subject: "user",
      user: { external_id: "u1", email: "Ann@Example.com" },
      create: true,
      active: false,
      body: { email: "Ann@Example.com", name: "Ann", plan: "pro" },
    });
    expect(others).toEqual([]);
  });

  test("may be {userId, accountId, traits}, and is then linked to that account", () => {
    const [entry] = read({ userId: 12, accountId: "acme", traits: { plan: "pro", email: "ann@example.com" } });
    expect(entry).toMatchObject({ user: { external_id: "12", email: "ann@example.com" } });
    expect(entry).toMatchObject({ account: { external_id: "acme" }, body: { plan: "pro", email: "ann@example.com" } });
  });

  test("takes attributes from the objects traits and attributes, and fields beside these objects win", () => {
    const [entry] = read({
      email: "a@b.c",
      plan: "beside",
      traits: { plan: "in traits", size: 1 },
      attributes: { mrr: 2 },
    });
    expect(entry?.body).toEqual({ email: "a@b.c", plan: "beside", size: 1, mrr: 2 });
  });

  test("keeps traits as an attribute when it is not an object", () => {
    expect(read({ email: "a@b.c", traits: "curly hair" })[0]?.body).toMatchObject({ traits: "curly hair" });
  });

  test("may name its attributes as in reports", () => {
    expect(read({ email: "a@b.c", traits_plan: "pro" })[0]?.body).toEqual({ email: "a@b.c", plan: "pro" });
  });

  test("gets the traits of the import unless the file sets them, under any of their names", () => {
    const defaults = { plan: "free", source: "csv" };
    expect(read({ email: "a@b.c", traits_plan: "pro" }, { defaults })[0]?.body).toEqual({
      email: "a@b.c",
      plan: "pro",
      source: "csv",
    });
  });

  test("can come from an extract: computed fields are left out, and all anonymous ids are kept", () => {
    const record = {
      id: createId("user"),
      external_id: null,
      email: null,
      anonymous_ids: ["first", "second"],
      segment_ids: [],
      updated_at: "2024-01-01T00:00:00.000Z",
      account: { id: createId("account"), external_id: "acme", name: "Acme" },
      traits_plan: "pro",
    };
    const [entry, ...aliases] = read(record, { overwrite: false });
    expect(entry).toMatchObject({ user: { anonymous_id: "first" }, account: { external_id: "acme" } });
    expect(entry?.body).toEqual({ plan: "pro" });
    expect(aliases).toMatchObject([
      { type: "alias", user: { anonymous_id: "first" }, body: { anonymous_id: "second" } },
    ]);
  });

  test("is found by the id that Muster gave only when there is no other identifier", () => {
    const id = createId("user");
    expect(read({ id, plan: "pro" })[0]?.user).toEqual({ id });
    expect(read({ id, email: "a@b.c" })[0]?.user).toEqual({ email: "a@b.c" });
  });

  test("keeps existing values when the import does not overwrite, also where the file holds null", () => {
    const [entry] = read({ email: "a@b.c", plan: null, size: 3 }, { overwrite: false });
    expect(entry).toMatchObject({ keepExisting: true, body: { size: 3 } });
    expect(entry?.body).not.toHaveProperty("plan");
    expect(read({ email: "a@b.c", plan: null })[0]?.body).toMatchObject({ plan: null });
  });

  test("is quiet unless the import notifies, and makes an event when the import asks for it", () => {
    const announces = { job_id: "the job" };
    expect(read({ email: "a@b.c" }, { notify: false, announces })[0]).toMatchObject({ quiet: true, announces });
    expect(read({ email: "a@b.c" })[0]).not.toHaveProperty("quiet");
  });

  test.each([
    ["not an object", ["a"], /not an object/],
    ["nobody", { plan: "pro" }, /names no user/],
    ["an empty identifier", { email: " " }, /names no user/],
    ["an identifier of another type", { email: { a: 1 } }, /email is not a text/],
    ["an endless identifier", { external_id: "x".repeat(2_000) }, /longer than 1024/],
    ["a NUL in an identifier", { external_id: "a\0b" }, /NUL/],
    ["half a surrogate pair in an identifier", { external_id: "a\ud800" }, /surrogate/],
    ["half a surrogate pair in a second anonymous id", { anonymous_ids: ["a", "a\ud800"] }, /surrogate/],
  ])("with %s is refused with the reason", (_, record, reason) => {
    expect(readImportRecord(record, 1, rules())).toMatch(reason);
  });

  test("that is nested very deep is refused and does not overflow the stack", () => {
    const record = JSON.parse(`{"email":"a@b.c","deep":${"[".repeat(5_000)}${"]".repeat(5_000)}}`);
    expect(readImportRecord(record, 1, rules())).toMatch(/too deep/);
  });
});

describe("an account", () => {
  test("is found by accountId, external_id or domain", () => {
    const object = "accounts";
    expect(read({ accountId: "acme", traits: { plan: "pro" } }, { object })[0]).toMatchObject({
      subject: "account",
      account: { external_id: "acme" },
      body: { plan: "pro" },
    });
    expect(read({ domain: "acme.com", name: "Acme" }, { object })[0]).toMatchObject({
      account: { domain: "acme.com" },
      body: { domain: "acme.com", name: "Acme" },
    });
  });

  test("without any of them is refused", () => {
    expect(readImportRecord({ name: "Acme" }, 1, rules({ object: "accounts" }))).toMatch(/names no account/);
  });
});

describe("an event", () => {
  const object = "events";

  test.each([
    ["name", { event: "a\ud800" }],
    ["id", { event: "Viewed", event_id: "a\ud800" }],
    ["id", { event: "Viewed", eventId: "a\0" }],
  ])("with half a surrogate pair or a NUL in its %s is refused with the reason", (_, fields) => {
    expect(readImportRecord({ email: "a@b.c", ...fields }, 1, rules({ object }))).toMatch(/half a surrogate pair/);
  });

  test("has a user, a name, a time and properties", () => {
    const timestamp = "2024-02-03T04:05:06.000Z";
    const [entry] = read(
      { userId: "u1", anonymousId: "a1", event: "Bought", eventId: "e1", timestamp, properties: { price: 3 } },
      { object },
    );
    expect(entry).toMatchObject({
      type: "track",
      user: { external_id: "u1", anonymous_id: "a1" },
      eventId: "e1",
      overwrites: true,
      body: { event: "Bought", created_at: timestamp, properties: { price: 3 }, ip: null },
    });
  });

  test("can come from an extract", () => {
    const user_id = createId("user");
    const stored = { id: createId("event"), event: "Bought", event_id: "e1", event_source: "shop", user_id };
    expect(read(stored, { object })[0]).toMatchObject({
      user: { id: user_id },
      body: { source: "shop" },
      eventId: "e1",
    });
  });

  test("without an id gets one that depends on its line and content alone", () => {
    const record = { userId: "u1", event: "Bought", timestamp: 1_700_000_000 };
    const idOf = (line: number, jobId: string) => {
      const entries = readImportRecord(record, line, rules({ object, jobId }));
      return typeof entries === "string" ? entries : entries[0]?.eventId;
    };
    expect(idOf(1, "one")).toMatch(/^[0-9a-f]{40}$/);
    expect(idOf(1, "another")).toBe(idOf(1, "one"));
    expect(idOf(2, "one")).not.toBe(idOf(1, "one"));
  });

  test("without a name or a user is refused", () => {
    expect(readImportRecord({ userId: "u1" }, 1, rules({ object }))).toMatch(/no event/);
    expect(readImportRecord({ event: "Bought" }, 1, rules({ object }))).toMatch(/names no user/);
  });
});

test("a record with very many attributes or anonymous ids is refused", () => {
  const many = Array.from({ length: 2_001 }, (_, at) => `n${at}`);
  const attributes = Object.fromEntries(many.map((name) => [name, 1]));
  expect(readImportRecord({ external_id: "u1", ...attributes }, 1, rules())).toBe(
    "A record sets at most 2000 attributes, not 2001.",
  );
  expect(readImportRecord({ external_id: "u1", anonymous_ids: many }, 1, rules())).toBe(
    "A record has at most 1000 anonymous ids, not 2001.",
  );
});
