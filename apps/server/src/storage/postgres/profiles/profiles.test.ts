import { afterAll, beforeAll, expect, test } from "vitest";
import { createProfile } from "../../../domain/profiles/profile.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import { type Database, isDataError, type Queryable } from "../database.js";
import { LeaseLost } from "../leases/lease-lost.js";
import { loadProfiles, saveIdentifiers } from "./profiles.js";
import { type RowPlace, saveProfiles } from "./save-profiles.js";

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const email = { kind: "email", value: "ann@example.com" };

const save = (changes: Parameters<typeof saveIdentifiers>[3]) =>
  database.transaction((tx) => saveIdentifiers(tx, "user", "org", changes));

async function owners() {
  const { rows } = await database.query<{ user_id: string }>("select user_id from user_identifiers");
  return rows.map(({ user_id }) => user_id);
}

test("an identifier moves only from a profile that has lost it, and any other move is a data error", async () => {
  await save({ claimed: [{ ...email, id: "ann", from: [] }], released: [] });
  await expect(save({ claimed: [{ ...email, id: "thief", from: [] }], released: [] })).rejects.toSatisfy(isDataError);
  await expect(save({ claimed: [{ ...email, id: "thief", from: ["bob"] }], released: [] })).rejects.toSatisfy(
    isDataError,
  );
  await save({ claimed: [], released: [{ ...email, from: ["bob"] }] });
  expect(await owners()).toEqual(["ann"]);

  await save({ claimed: [{ ...email, id: "survivor", from: ["ann"] }], released: [] });
  expect(await owners()).toEqual(["survivor"]);
  await save({ claimed: [], released: [{ ...email, from: ["survivor"] }] });
  expect(await owners()).toEqual([]);
});

test("a profile that was loaded is written where it was loaded from, and a new one is added", async () => {
  const ann = { ...createProfile("user", "0a0000000000000000000001", 5), identifiers: { external_id: ["ann"] } };
  const load = (tx: Queryable) => loadProfiles(tx, "user", "org", { ids: [ann.id], identifiers: [] });
  await database.transaction((tx) => saveProfiles(tx, "user", "org", [ann], new Map(), 1));
  await database.transaction(async (tx) => {
    const [stored] = await load(tx);
    const changed = { ...stored!.profile, accountId: "0b0000000000000000000001", lastSeenAt: 7 };
    await saveProfiles(tx, "user", "org", [changed], new Map([[ann.id, stored!.place]]), 2);
  });
  const [stored] = await load(database);
  expect(stored).toMatchObject({ version: 2, profile: { accountId: "0b0000000000000000000001", lastSeenAt: 7 } });
});

test("a profile whose row another process has written since it was loaded is not overwritten", async () => {
  const bob = createProfile("user", "0a0000000000000000000002", 5);
  const load = () => loadProfiles(database, "user", "org", { ids: [bob.id], identifiers: [] });
  const saveAt = (place: RowPlace, version: number) =>
    database.transaction((tx) => saveProfiles(tx, "user", "org", [bob], new Map([[bob.id, place]]), version));
  await database.transaction((tx) => saveProfiles(tx, "user", "org", [bob], new Map(), 1));
  const [first] = await load();
  await saveAt(first!.place, 2);
  await expect(saveAt(first!.place, 3)).rejects.toThrow(LeaseLost);
  expect(await load()).toMatchObject([{ version: 2 }]);
});

test("a profile is found once by any of its ids and identifiers, also with thousands of values", async () => {
  const email = "eve@example.com";
  const eve = { ...createProfile("user", "0a0000000000000000000003", 5), identifiers: { email: [email] } };
  await database.transaction(async (tx) => {
    await saveProfiles(tx, "user", "org", [eve], new Map(), 1);
    const claimed = { kind: "email", value: email, id: eve.id, from: [] };
    await saveIdentifiers(tx, "user", "org", { claimed: [claimed], released: [] });
  });
  const others = Array.from({ length: 3_000 }, (_, index) => ({
    kind: "email" as const,
    value: `n${index}@x.example`,
  }));
  const identifiers = [...others, { kind: "email" as const, value: email }, { kind: "domain" as const, value: email }];
  const found = await loadProfiles(database, "user", "org", { ids: [eve.id], identifiers });
  expect(found.map(({ profile }) => profile.id)).toEqual([eve.id]);
  expect(await loadProfiles(database, "user", "another", { ids: [eve.id], identifiers })).toEqual([]);
});

test("profiles that are written together stay in their pages, so that no index is written", async () => {
  const many = Array.from({ length: 500 }, (_, index) => ({
    ...createProfile("user", `0c${index.toString(16).padStart(22, "0")}`, 5),
    cells: new Map([["text", { value: "x".repeat(300), written: { at: 1, source: "c" } }]]),
  }));
  await database.transaction((tx) => saveProfiles(tx, "user", "many", many, new Map(), 1));
  const inPlace = await database.transaction(async (tx) => {
    const loaded = await loadProfiles(tx, "user", "many", { ids: many.map(({ id }) => id), identifiers: [] });
    const places = new Map(loaded.map(({ profile, place }) => [profile.id, place]));
    await saveProfiles(tx, "user", "many", many, places, 2);
    const { rows } = await tx.query<{ share: number }>(
      `select n_tup_hot_upd::float8 / n_tup_upd as share from pg_stat_xact_user_tables where relname = 'users'`,
    );
    return rows[0]?.share;
  });
  expect(inPlace).toBeGreaterThan(0.95);
});
