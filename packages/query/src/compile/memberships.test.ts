import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CATALOG, id, NOW, nameOf, ORG } from "../cases/dataset.test.data.js";
import { type Engine, openDataset } from "../cases/engine.test.kit.js";
import { parse } from "../parse/parse.js";
import {
  type MembershipChange,
  type MembershipMatch,
  membershipChangesStatement,
  membershipStatement,
  type SegmentQuery,
} from "./memberships.js";

let engine: Engine;
const options = { org: ORG, catalog: CATALOG, now: NOW, entity: "user" } as const;

beforeAll(async () => {
  engine = await openDataset();
});

afterAll(() => engine.close());

function segment(name: string, query: unknown, entity: "user" | "account" = "user"): SegmentQuery {
  return { id: id(name), query: parse(query, { entity }) };
}

const ordered = { has_child: { type: "event", query: { term: { event: "Order" } } } };
const paying = { range: { mrr: { gt: 0 } } };
// Stored: buyers are Ann and Bob, readers are Bob and Cat.
const SEGMENTS = [segment("buyers", ordered), segment("readers", paying), segment("nobody", { match_none: {} })];

async function matches(segments: readonly SegmentQuery[], ids?: readonly string[]): Promise<Record<string, string[]>> {
  const rows = await engine.rows<MembershipMatch>(
    membershipStatement(segments, { ...options, ...(ids && { ids: ids.map(id) }) }),
  );
  return Object.fromEntries(rows.map((row) => [nameOf(row.id), row.segment_ids.map(nameOf)]));
}

async function changes(segments: readonly SegmentQuery[], ids?: readonly string[]): Promise<Record<string, string>> {
  const statement = membershipChangesStatement(segments, { ...options, ...(ids && { ids: ids.map(id) }) });
  const rows = await engine.rows<MembershipChange>(statement);
  return Object.fromEntries(
    rows.map((row) => [
      nameOf(row.id),
      [...row.entered.map((name) => `+${nameOf(name)}`), ...row.left.map((name) => `-${nameOf(name)}`)].join(" "),
    ]),
  );
}

describe("who is in which segment", () => {
  test("is told for everybody in one statement", async () => {
    expect(await matches(SEGMENTS)).toEqual({
      ann: ["buyers", "readers"],
      bob: ["buyers"],
      cat: ["buyers", "readers"],
      eve: ["readers"],
    });
  });

  test("is told for the touched alone", async () => {
    expect(await matches(SEGMENTS, ["bob", "eve", "gus", "zed"])).toEqual({ bob: ["buyers"], eve: ["readers"] });
  });

  test("is nothing for nobody, and nothing without segments", async () => {
    expect(await matches(SEGMENTS, [])).toEqual({});
    expect(await matches([])).toEqual({});
  });

  test("agrees for the touched and for everybody, whatever a segment asks", async () => {
    const segments = [
      segment("buyers", { bool: { must_not: ordered } }),
      segment("readers", { has_child: { query: { term: { event: "Order" } }, min_children: 0, max_children: 1 } }),
      segment("nobody", {
        bool: { should: [{ term: { "account.vip": true } }, { term: { segment_ids: id("readers") } }] },
      }),
      segment("partners", { missing: { field: "segment_ids" } }),
    ];
    const everybody = await matches(segments);
    for (const name of ["ann", "bob", "cat", "dan", "eve", "fay", "gus"]) {
      expect(await matches(segments, [name])).toEqual({ [name]: everybody[name] });
    }
  });
});

test("more segments than a number has bits are told apart", async () => {
  const segments = Array.from({ length: 150 }, (_, index) => ({
    id: `67${index.toString(16).padStart(22, "0")}`,
    query: parse(index % 50 === 13 ? { term: { plan: "pro" } } : { match_none: {} }, { entity: "user" }),
  }));
  const fitting = [13, 63, 113].map((index) => segments[index]?.id);
  const [match, ...others] = await engine.rows<MembershipMatch>(membershipStatement(segments, options));
  expect(match).toEqual({ id: id("ann"), segment_ids: fitting });
  expect(others).toEqual([]);
  const [change] = await engine.rows<MembershipChange>(membershipChangesStatement(segments, options));
  expect(change).toEqual({ id: id("ann"), entered: fitting, left: [] });
});

describe("what must change", () => {
  test("is told for everybody, and only where something changes", async () => {
    expect(await changes(SEGMENTS)).toEqual({ ann: "+readers", bob: "-readers", cat: "+buyers", eve: "+readers" });
  });

  test("is told for the touched alone", async () => {
    expect(await changes(SEGMENTS, ["cat", "dan", "gus"])).toEqual({ cat: "+buyers" });
  });

  test("concerns the given segments alone", async () => {
    expect(await changes([segment("buyers", ordered)])).toEqual({ cat: "+buyers" });
  });

  test("comes in pages, in the order of ids", async () => {
    const pages: string[][] = [];
    for (let after: string | undefined; ; ) {
      const statement = membershipChangesStatement(SEGMENTS, { ...options, page: { after, limit: 3 } });
      const rows = await engine.rows<MembershipChange>(statement);
      if (rows.length === 0) break;
      pages.push(rows.map((row) => nameOf(row.id)));
      after = rows.at(-1)?.id;
    }
    expect(pages.map((page) => page.length)).toEqual([3, 1]);
    expect(pages.flat().map(id)).toEqual(["ann", "bob", "cat", "eve"].map(id).sort());
  });

  test("includes leaving for a user who is gone", async () => {
    await engine.command(
      `insert into memberships (org, segment_id, entity_id, entered_at, version, is_deleted) values ('${ORG}', '${id("nobody")}', '${id("zed")}', now(), 1, 0)`,
    );
    expect(await changes(SEGMENTS, ["zed"])).toEqual({ zed: "-nobody" });
  });

  test("is told for accounts by their users' events", async () => {
    const partners = segment("partners", { has_child: { query: { term: { event: "Order" } } } }, "account");
    const touched = [id("globex"), id("bare")];
    for (const ids of [undefined, touched]) {
      const statement = membershipChangesStatement([partners], { ...options, entity: "account", ...(ids && { ids }) });
      expect(await engine.rows<MembershipChange>(statement)).toEqual([
        { id: id("globex"), entered: [id("partners")], left: [] },
      ]);
    }
  });
});

test("a segment that its fields' types have outgrown is refused by name and the others go on", async () => {
  const outgrown = segment("readers", { range: { vip: { gt: 1 } } });
  const statement = membershipChangesStatement([segment("buyers", ordered), outgrown], options);
  expect(statement.refused.map(({ id: refused, error }) => [nameOf(refused), error.message])).toEqual([
    ["readers", 'query.range: a range cannot be asked of "vip"'],
  ]);
  expect(await engine.rows<MembershipChange>(statement)).toEqual([
    { id: id("cat"), entered: [id("buyers")], left: [] },
  ]);
});

test("touched ids limit the scan of users, of events and of memberships", () => {
  const statement = membershipStatement(
    [segment("buyers", { bool: { must: [ordered, { term: { segment_ids: id("readers") } }] } })],
    {
      ...options,
      ids: [id("ann")],
    },
  );
  const touched = Object.entries(statement.params).find(
    ([, value]) => Array.isArray(value) && value[0] === id("ann"),
  )?.[0];
  const limits = statement.sql.match(/(\w+) in \{p\d+:Array\(FixedString\(24\)\)\}/g);
  expect(limits).toEqual([
    `entity_id in {${touched}:Array(FixedString(24))}`,
    `user_id in {${touched}:Array(FixedString(24))}`,
    `id in {${touched}:Array(FixedString(24))}`,
  ]);
});
