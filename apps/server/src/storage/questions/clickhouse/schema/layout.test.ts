import { expect, test } from "vitest";
import { layoutOf, type TableDefinition } from "./layout.js";
import { FIRST_TABLES, PARTITIONED_TABLES } from "./tables.js";

const TABLE: TableDefinition = {
  name: "things",
  columns: "org FixedString(24), id FixedString(24), version UInt64",
  replacing: "version",
  storage: "order by id",
  shardBy: "cityHash64(org, id)",
};

test("on one server a table is an ordinary one", () => {
  const layout = layoutOf(undefined);
  expect(layout.create(TABLE)).toEqual([
    "create table if not exists things (org FixedString(24), id FixedString(24), version UInt64) engine = ReplacingMergeTree(version) order by id",
  ]);
  expect(`${layout.stored("things")}${layout.onCluster}`).toBe("things");
});

test("in a cluster a table is replicated on every server, and a distributed table has its name", () => {
  const layout = layoutOf("main");
  expect(layout.create(TABLE)).toEqual([
    "create table if not exists things_local on cluster 'main' (org FixedString(24), id FixedString(24), version UInt64) engine = ReplicatedReplacingMergeTree(version) order by id",
    "create table if not exists things on cluster 'main' as things_local engine = Distributed('main', currentDatabase(), 'things_local', cityHash64(org, id))",
  ]);
  expect(`${layout.stored("things")}${layout.onCluster}`).toBe("things_local on cluster 'main'");
});

test.each(["", "a b", "main' as x", "`main`", "main\n"])("%j is refused as the name of a cluster", (name) => {
  expect(() => layoutOf(name)).toThrow("is not a valid name of a cluster");
});

test("all versions of a row are in the same shard, because the sharding key is part of the sorting key", () => {
  for (const { name, shardBy, storage } of FIRST_TABLES) {
    const [, columns = ""] = /cityHash64\((.*)\)/.exec(shardBy) ?? [];
    const [, key = ""] = /order by \(?([\w, ]+?)\)?(?: settings|$)/.exec(storage) ?? [];
    const keyed = new Set(["org", ...key.split(", ")]);
    expect(
      columns.split(", ").filter((column) => !keyed.has(column)),
      name,
    ).toEqual([]);
  }
});

test("tables with personal data have a partition for each organization", () => {
  const partitioned = FIRST_TABLES.filter(({ storage }) => storage.startsWith("partition by org"));
  expect(partitioned.map(({ name }) => name)).toEqual([...PARTITIONED_TABLES]);
});
