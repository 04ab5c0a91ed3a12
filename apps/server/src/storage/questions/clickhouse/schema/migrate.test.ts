import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isClickhouse } from "../../../../testing/is-clickhouse.js";
import { Statements } from "../client/statements.js";
import { openChdbClient } from "../testing/open-chdb.js";
import { layoutOf } from "./layout.js";
import { type Migration, migrate } from "./migrate.js";

describe.runIf(isClickhouse)("the schema", () => {
  let statements: Statements;
  const layout = layoutOf(undefined);
  beforeAll(async () => {
    statements = new Statements(await openChdbClient(), {});
  });
  afterAll(() => statements.close());

  const tables = async () =>
    (
      await statements.rows<{ name: string }>(
        "select name from system.tables where database = currentDatabase() order by name",
      )
    ).map(({ name }) => name);

  test("is created once, and the next start changes nothing", async () => {
    expect(await migrate(statements, layout)).toEqual([1]);
    const made = await tables();
    expect(made).toEqual(["accounts", "events", "memberships", "progress", "schema_migrations", "users"]);
    expect(await migrate(statements, layout)).toEqual([]);
    expect(await tables()).toEqual(made);
  });

  test("gets the new migrations in their order", async () => {
    const steps: Migration[] = [
      { version: 1, statements: () => ["create table never (n UInt8) engine = Memory"] },
      { version: 2, statements: () => ["create table second (n UInt8) engine = Memory"] },
      { version: 3, statements: () => ["alter table second add column m UInt8"] },
    ];
    expect(await migrate(statements, layout, steps)).toEqual([2, 3]);
    expect(await statements.rows("select n, m from second")).toEqual([]);
    expect(await tables()).not.toContain("never");
  });

  test("with an unknown migration is refused", async () => {
    await expect(migrate(statements, layout)).rejects.toThrow("migrated by a newer Muster (2, 3)");
  });
});
