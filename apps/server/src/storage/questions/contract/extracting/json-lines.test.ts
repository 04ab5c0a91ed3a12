import type { Target } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ExtractSegments } from "../../extracting.js";
import type { Questions } from "../../questions.js";
import { ACCOUNTS, EVENTS, id, MOVED_EVENT, nameOf, ORG, USERS } from "../dataset.test.data.js";
import { idOf, openOrganization } from "../organization.test.kit.js";
import { selectionOf } from "../selection.test.kit.js";
import { accountDocument, userDocument } from "../steps.test.kit.js";
import { openDataset } from "../write-dataset.test.kit.js";
import { writtenText } from "../written-text.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

const ALL_SEGMENTS = { own: ["buyers", "readers", "partners", "nobody"].map(id), account: [id("partners")] };

type Line = Record<string, unknown> & { id: string };

async function extract(
  query: unknown,
  target: Target = "user",
  segments: ExtractSegments = ALL_SEGMENTS,
): Promise<Line[]> {
  const until = (await questions.lastKey(ORG, target))!;
  const range = { after: undefined, until };
  let rows = 0;
  const text = await writtenText(async (path) => {
    rows = await questions.writeJsonLines(ORG, selectionOf(query, target), range, segments, path);
  });
  const lines = text.split("\n");
  // The last line ends with a newline too.
  expect(lines.pop()).toBe("");
  expect(lines).toHaveLength(rows);
  return lines.map((line) => JSON.parse(line) as Line).sort((one, other) => (one.id < other.id ? -1 : 1));
}

describe("an extract as lines of JSON", () => {
  test("has the report of each user, with segments and account", async () => {
    const reportOf = (name: string) => [...USERS, ...ACCOUNTS].find(({ report }) => report.id === id(name))?.report;
    const acme = { ...reportOf("acme"), segment_ids: [id("partners")] };
    const lines = await extract({});
    expect(lines.map((line) => nameOf(line.id)).join(" ")).toBe("ann bob cat dan eve fay gus");
    expect(lines).toEqual([
      { ...reportOf("ann"), segment_ids: [id("buyers")], account: acme },
      { ...reportOf("bob"), segment_ids: [id("buyers"), id("readers")], account: acme },
      { ...reportOf("cat"), segment_ids: [id("readers")], account: { ...reportOf("globex"), segment_ids: [] } },
      { ...reportOf("dan"), segment_ids: [], account: null },
      { ...reportOf("eve"), segment_ids: [], account: { ...reportOf("bare"), segment_ids: [] } },
      { ...reportOf("fay"), segment_ids: [], account: null },
      { ...reportOf("gus"), segment_ids: [], account: null },
    ]);
  });

  test("has the report of each account, with segments", async () => {
    expect(await extract({}, "account")).toEqual(
      ACCOUNTS.map(({ report }, index) => ({ ...report, segment_ids: index === 0 ? [id("partners")] : [] })),
    );
  });

  test("has each event as it was recorded, with its present user", async () => {
    const moved = { ...MOVED_EVENT, user_id: id("bob") };
    expect(await extract({}, "event")).toEqual([...EVENTS, moved].map(({ origin_id: _, ...event }) => event));
  });

  test("has the same reports as a page", async () => {
    const query = { bool: { must: { exists: { field: "mrr" } }, must_not: { term: { plan: "free" } } } };
    const rows = await questions.page(ORG, selectionOf(query), { sort: [], limit: 100 });
    expect(await extract(query)).toEqual(
      rows.map(({ report, segmentIds, account }) => ({
        ...report,
        segment_ids: segmentIds,
        account: account ? { ...account.report, segment_ids: account.segmentIds } : null,
      })),
    );
  });

  test("has the rows that the query selects by any relation", async () => {
    const names = async (query: unknown, target: Target = "user") =>
      (await extract(query, target)).map((line) => nameOf(line.id)).join(" ");
    expect(await names({ term: { vip: true } })).toBe("ann dan");
    expect(await names({ has_child: { query: { term: { event: "Order" } } } })).toBe("ann bob cat");
    expect(await names({ term: { "account.vip": true } })).toBe("ann bob");
    expect(await names({ term: { segment_ids: id("readers") } })).toBe("bob cat");
    expect(await names({ has_child: { query: { term: { event: "Order" } } } }, "account")).toBe("acme globex");
    expect(await names({ match_none: {} })).toBe("");
    const orders = await extract({ has_parent: { type: "user", query: { term: { plan: "Pro" } } } }, "event");
    expect(orders.map((line) => line.event_id)).toEqual(["e-9", "e-10"]);
  });

  test("has the given segments only", async () => {
    const [, bob] = await extract({}, "user", { own: [id("readers")], account: [] });
    expect(bob).toMatchObject({ segment_ids: [id("readers")], account: { segment_ids: [] } });
    const [ann] = await extract({}, "user", { own: [], account: [] });
    expect(ann).toMatchObject({ segment_ids: [], account: { segment_ids: [] } });
  });

  test("has one line per row, with any characters in it", async () => {
    const texts = [
      "tab\tbreak\nreturn\r\0",
      "\u2028\u2029\u0085",
      "quote\"' back\\slash",
      "é 日本 🎉",
      "\ud800",
      "\\n",
    ];
    const organization = await openOrganization(questions, { user: { traits_text: "string" } });
    await organization.write(
      {},
      {
        users: {
          written: texts.map((text, index) =>
            userDocument(
              idOf(`u${index}`),
              { traits_text: text, traits_untyped: { deep: [text] } },
              { accountId: idOf("acme") },
            ),
          ),
        },
        accounts: { written: [accountDocument(idOf("acme"), { name: texts[0] ?? "" })] },
      },
    );
    const until = (await questions.lastKey(organization.id, "user"))!;
    const range = { after: undefined, until };
    const segments = { own: [], account: [] };
    const text = await writtenText((path) =>
      questions.writeJsonLines(organization.id, organization.select({}), range, segments, path),
    );
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    expect(lines.sort((one, other) => (one.id < other.id ? -1 : 1))).toMatchObject(
      texts.map((one) => ({ traits_text: one, traits_untyped: { deep: [one] }, account: { name: texts[0] } })),
    );
  });
});
