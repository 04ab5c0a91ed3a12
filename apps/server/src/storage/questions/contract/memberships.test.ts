import { parse, type SegmentQuery } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SegmentMoves } from "../../../domain/changes/change-set.js";
import type { SubjectMoves, WholeAudience } from "../memberships.js";
import type { Questions } from "../questions.js";
import { ATTRIBUTE_TYPES, id, NOW, nameOf, ORG } from "./dataset.test.data.js";
import { selectionOf } from "./selection.test.kit.js";
import { openDataset } from "./write-dataset.test.kit.js";

let questions: Questions;
const reading = { attributeTypes: ATTRIBUTE_TYPES, now: NOW, target: "user" } as const;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

function segment(name: string, query: unknown, target: "user" | "account" = "user"): SegmentQuery {
  return { id: id(name), query: parse(query, { target }) };
}

const EVERYBODY = ["ann", "bob", "cat", "dan", "eve", "fay", "gus"];
const ordered = { has_child: { type: "event", query: { term: { event: "Order" } } } };
const paying = { range: { mrr: { gt: 0 } } };
// Stored: buyers are Ann and Bob, readers are Bob and Cat.
const SEGMENTS = [segment("buyers", ordered), segment("readers", paying), segment("nobody", { match_none: {} })];

async function matches(segments: readonly SegmentQuery[], names = EVERYBODY): Promise<Record<string, string[]>> {
  const answers = await questions.answer(ORG, segments, names.map(id), reading);
  return Object.fromEntries(
    Array.from(answers, ([who, fitting]) => [nameOf(who), [...fitting].map(nameOf).sort()] as const).filter(
      ([, fitting]) => fitting.length > 0,
    ),
  );
}

async function changes(segments: readonly SegmentQuery[], names = EVERYBODY): Promise<Record<string, string>> {
  return named(await questions.changesOf(ORG, segments, names.map(id), reading));
}

function named(moves: readonly SubjectMoves[]): Record<string, string> {
  return Object.fromEntries(
    moves.map(({ id: who, entered, left }) => [
      nameOf(who),
      [...entered.map((name) => `+${nameOf(name)}`), ...left.map((name) => `-${nameOf(name)}`)].join(" "),
    ]),
  );
}

async function changesOfAll(
  segments: readonly SegmentQuery[],
  audience: Partial<WholeAudience> = {},
  target: "user" | "account" = "user",
) {
  return named(await questions.changesOfSegments(ORG, segments, { limit: 100, ...audience }, { ...reading, target }));
}

describe("the segments that subjects are in", () => {
  test("are evaluated for all subjects", async () => {
    expect(await matches(SEGMENTS)).toEqual({
      ann: ["buyers", "readers"],
      bob: ["buyers"],
      cat: ["buyers", "readers"],
      eve: ["readers"],
    });
  });

  test("are evaluated for the given subjects only", async () => {
    expect(await matches(SEGMENTS, ["bob", "eve", "gus", "zed"])).toEqual({ bob: ["buyers"], eve: ["readers"] });
  });

  test("are none without subjects, and none without segments", async () => {
    expect(await matches(SEGMENTS, [])).toEqual({});
    expect(await matches([])).toEqual({});
  });

  test("are the same for one subject, for all subjects and for a search, for any segment", async () => {
    const queries = {
      buyers: { bool: { must_not: ordered } },
      readers: { has_child: { query: { term: { event: "Order" } }, min_children: 0, max_children: 1 } },
      nobody: { bool: { should: [{ term: { "account.vip": true } }, { term: { segment_ids: id("readers") } }] } },
      partners: { missing: { field: "segment_ids" } },
    };
    const segments = Object.entries(queries).map(([name, query]) => segment(name, query));
    const everybody = await matches(segments);
    for (const name of EVERYBODY) expect(await matches(segments, [name])).toEqual({ [name]: everybody[name] });
    for (const [name, query] of Object.entries(queries)) {
      const rows = await questions.page(ORG, selectionOf(query), { sort: [], limit: 100 });
      const members = EVERYBODY.filter((one) => everybody[one]?.includes(name));
      expect(rows.map((row) => nameOf(row.id))).toEqual(members);
    }
  });

  test("are evaluated for accounts", async () => {
    const asked = [segment("partners", ordered, "account"), segment("nobody", { term: { vip: false } }, "account")];
    const ids = ["acme", "globex", "bare"].map(id);
    const answers = await questions.answer(ORG, asked, ids, { ...reading, target: "account" });
    const fitting = (name: string) => [...(answers.get(id(name)) ?? [])].map(nameOf).sort();
    expect(fitting("acme")).toEqual(["partners"]);
    expect(fitting("globex")).toEqual(["nobody", "partners"]);
    expect(fitting("bare")).toEqual([]);
  });
});

test("more segments than a number has bits are evaluated correctly", async () => {
  const segments = Array.from({ length: 150 }, (_, index) => ({
    id: `67${index.toString(16).padStart(22, "0")}`,
    query: parse(index % 50 === 13 ? { term: { plan: "pro" } } : { match_none: {} }, { target: "user" }),
  }));
  const fitting = [13, 63, 113].map((index) => String(segments[index]?.id));
  const answers = await questions.answer(ORG, segments, EVERYBODY.map(id), reading);
  for (const name of EVERYBODY) {
    expect([...(answers.get(id(name)) ?? [])].sort(), name).toEqual(name === "ann" ? fitting : []);
  }
  const changed = await questions.changesOf(ORG, segments, EVERYBODY.map(id), reading);
  expect(changed.map(sorted)).toEqual([{ id: id("ann"), entered: fitting, left: [] }]);
  const ofAll = await questions.changesOfSegments(ORG, segments, { limit: 100 }, reading);
  expect(ofAll.map(sorted)).toEqual([{ id: id("ann"), entered: fitting, left: [] }]);
});

function sorted({ id: who, entered, left }: SubjectMoves): SubjectMoves {
  return { id: who, entered: [...entered].sort(), left: [...left].sort() };
}

describe("the necessary changes", () => {
  test("are evaluated for all subjects, without those that do not change", async () => {
    expect(await changes(SEGMENTS)).toEqual({ ann: "+readers", bob: "-readers", cat: "+buyers", eve: "+readers" });
  });

  test("are evaluated for the given subjects only", async () => {
    expect(await changes(SEGMENTS, ["cat", "dan", "gus"])).toEqual({ cat: "+buyers" });
  });

  test("are evaluated for the given segments only", async () => {
    expect(await changes([segment("buyers", ordered)])).toEqual({ cat: "+buyers" });
    expect(await changes([])).toEqual({});
  });

  test("are evaluated for several segments and all subjects at once", async () => {
    expect(await changesOfAll(SEGMENTS)).toEqual({ ann: "+readers", bob: "-readers", cat: "+buyers", eve: "+readers" });
    expect(await changesOfAll([segment("buyers", { match_none: {} })])).toEqual({ ann: "-buyers", bob: "-buyers" });
    expect(await changesOfAll([])).toEqual({});
  });

  test("are evaluated for all subjects up to a limit", async () => {
    const found = Object.entries(await changesOfAll(SEGMENTS, { limit: 2 }));
    expect(found).toHaveLength(2);
    const all = await changesOfAll(SEGMENTS);
    for (const [name, moves] of found) expect(moves).toBe(all[name]);
  });

  test("are evaluated for all subjects that match a query", async () => {
    const among = parse({ or: [{ term: { plan: "pro" } }, ordered] }, { target: "user" });
    expect(await changesOfAll(SEGMENTS, { among })).toEqual({ ann: "+readers", bob: "-readers", cat: "+buyers" });
    const nobody = parse({ match_none: {} }, { target: "user" });
    expect(await changesOfAll(SEGMENTS, { among: nobody })).toEqual({});
    const partners = [segment("partners", ordered, "account")];
    const byEvent = parse(ordered, { target: "account" });
    expect(await changesOfAll(partners, { among: byEvent }, "account")).toEqual({ globex: "+partners" });
  });

  test("are evaluated for accounts by the events of their users", async () => {
    const partners = segment("partners", ordered, "account");
    const ids = [id("globex"), id("bare")];
    expect(await questions.changesOf(ORG, [partners], ids, { ...reading, target: "account" })).toEqual([
      { id: id("globex"), entered: [id("partners")], left: [] },
    ]);
    expect(await changesOfAll([partners], {}, "account")).toEqual({ globex: "+partners" });
  });

  test("are none for a segment that does not fit the types of its fields, and other segments are evaluated", async () => {
    const outgrown = { range: { vip: { gt: 1 } } };
    expect(await changes([segment("buyers", ordered), segment("readers", outgrown)])).toEqual({ cat: "+buyers" });
    expect(await changesOfAll([segment("buyers", ordered), segment("readers", outgrown)])).toEqual({ cat: "+buyers" });
  });

  test("include leaving for a user that does not exist any more", async () => {
    const moves: SegmentMoves[] = [
      { segmentId: id("nobody"), segmentName: "nobody", subjectType: "user", entered: [id("zed")], left: [] },
    ];
    await questions.writeEvaluation(ORG, 9, { at: NOW.toISOString(), moves });
    expect(await changes(SEGMENTS, ["zed"])).toEqual({ zed: "-nobody" });
    const everybody = Object.fromEntries(EVERYBODY.map((name) => [name, "+nobody"]));
    expect(await changesOfAll([segment("nobody", { match_all: {} })])).toEqual({ ...everybody, zed: "-nobody" });
  });
});
