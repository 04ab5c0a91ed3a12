import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FieldType, Target } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ColumnSource, TypedColumn } from "../../../../domain/jobs/extract-columns.js";
import { readParquet } from "../../../../testing/read-parquet.js";
import type { KeyRange, RowKey } from "../../extracting.js";
import type { Questions } from "../../questions.js";
import { id, ORG } from "../dataset.test.data.js";
import { idOf, openOrganization } from "../organization.test.kit.js";
import { selectionOf } from "../selection.test.kit.js";
import { userDocument } from "../steps.test.kit.js";
import { openDataset } from "../write-dataset.test.kit.js";

let questions: Questions;
let folder: string;

beforeAll(async () => {
  questions = await openDataset();
  folder = await mkdtemp(join(tmpdir(), "muster-parquet-"));
});

afterAll(async () => {
  await questions.close();
  await rm(folder, { recursive: true });
});

const SEGMENTS = { own: ["buyers", "readers", "partners"].map(id), account: [id("partners")] };

function column(source: ColumnSource, key: string, type: FieldType = "string"): TypedColumn {
  return { header: key, source, key, type };
}

/** Writes all ranges and joins them, as an extract does. */
async function extract(columns: readonly TypedColumn[], query: unknown = {}, target: Target = "user") {
  const parts: string[] = [];
  const until = (await questions.lastKey(ORG, target))!;
  let rows = 0;
  const write = async (range: KeyRange | undefined) => {
    const part = join(folder, `part-${parts.length}`);
    parts.push(part);
    return questions.writeParquet(ORG, selectionOf(query, target), range, SEGMENTS, columns, part);
  };
  for (let after: RowKey | undefined; ; ) {
    const range = await questions.nextRange(ORG, target, after, until, "parquet");
    if (!range) break;
    rows += await write(range);
    after = range.until;
  }
  const path = join(folder, "joined.parquet");
  await questions.joinParquet(parts, path);
  const found = await readParquet(path);
  expect(found.rows).toHaveLength(rows);
  return found;
}

describe("an extract as a Parquet file", () => {
  test("has columns with the types of their attributes", async () => {
    const columns = [
      column("own", "external_id"),
      column("own", "traits_mrr", "numeric"),
      column("own", "traits_vip", "boolean"),
      column("own", "created_at", "date"),
      column("own", "traits_langs", "array"),
      column("own", "traits_meta", "json"),
      column("account", "domain"),
      column("segments", "segment_ids", "array"),
      column("nowhere", "traits_plan"),
    ];
    const { rows, types } = await extract(columns, { terms: { id: ["ann", "bob"].map(id) } });
    expect(types).toMatchObject({
      external_id: "VARCHAR",
      traits_mrr: "DOUBLE",
      traits_vip: "BOOLEAN",
      created_at: expect.stringMatching(/^TIMESTAMP/),
      traits_langs: "VARCHAR[]",
      traits_meta: "VARCHAR",
      domain: "VARCHAR",
      segment_ids: "VARCHAR[]",
      traits_plan: "VARCHAR",
    });
    const [ann, bob] = rows.sort((one, other) => String(one.external_id).localeCompare(String(other.external_id)));
    expect(ann).toMatchObject({
      external_id: "u-1",
      traits_mrr: 100,
      traits_vip: true,
      created_at: new Date("2024-01-01T00:00:00.000Z"),
      traits_langs: ["en", "fr"],
      traits_meta: '{"score":7,"kind":"gold star"}',
      domain: "acme.com",
      segment_ids: [id("buyers")],
      traits_plan: null,
    });
    expect(bob).toMatchObject({ external_id: "u-2", traits_mrr: 0, segment_ids: [id("buyers"), id("readers")] });
  });

  test("has events with columns of their properties and their context", async () => {
    const columns = [
      column("own", "event_id"),
      column("own", "created_at", "date"),
      column("properties", "amount"),
      column("properties", "cart.total"),
      column("context", "ip"),
      column("own", "properties"),
    ];
    const { rows } = await extract(columns, { terms: { event_id: ["e-5", "e-9"] } }, "event");
    expect(rows.sort((one, other) => String(one.event_id).localeCompare(String(other.event_id)))).toMatchObject([
      { event_id: "e-5", amount: null, ip: "1.2.3.4", created_at: expect.any(Date) },
      { event_id: "e-9", amount: "12", "cart.total": "12", ip: null },
    ]);
  });

  test("has its columns also without rows", async () => {
    const { rows, types } = await extract([column("own", "traits_mrr", "numeric")], { term: { plan: "none such" } });
    expect(rows).toEqual([]);
    expect(types).toEqual({ traits_mrr: "DOUBLE" });
    const path = join(folder, "empty.parquet");
    const columns = [column("own", "traits_mrr", "numeric")];
    expect(await questions.writeParquet(ORG, selectionOf({}), undefined, SEGMENTS, columns, path)).toBe(0);
    expect(await readParquet(path)).toEqual({ rows: [], types: { traits_mrr: "DOUBLE" } });
  });

  test("may have any names of columns", async () => {
    const names = ["a.b", "quote\"'", "odd`name\\", "$.a", "/a/b", "a~1b", "space here", "日本", "*"];
    const organization = await openOrganization(questions);
    await organization.writeUsers(userDocument(idOf("ann"), Object.fromEntries(names.map((name) => [name, name]))));
    const until = (await questions.lastKey(organization.id, "user"))!;
    const path = join(folder, "names.parquet");
    const none = { own: [], account: [] };
    const columns = names.map((name) => column("own", name));
    const range = { after: undefined, until };
    await questions.writeParquet(organization.id, organization.select({}), range, none, columns, path);
    const { rows } = await readParquet(path);
    expect(rows).toEqual([Object.fromEntries(names.map((name) => [name, name]))]);
  });
});
