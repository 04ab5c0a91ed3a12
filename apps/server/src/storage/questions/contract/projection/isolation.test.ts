import { parse, parseAggregations } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../../questions.js";
import { NOW } from "../dataset.test.data.js";
import { openEngine } from "../open-engine.js";
import { evaluationOf, idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { accountDocument, eventOf, userDocument } from "../steps.test.kit.js";
import { writtenText } from "../written-text.test.kit.js";

/**
 * Two organizations with the same ids. In one of them everything matches, in the other nothing. A query that reads a row
 * of the other organization by any relation has another result.
 */
let questions: Questions;
let rich: Organization;
let poor: Organization;

const [ann, acme, gold] = [idOf("ann"), idOf("acme"), idOf("gold")];
const [partners, event] = [idOf("partners"), idOf("e1")];

async function open(value: string): Promise<Organization> {
  const organization = await openOrganization(questions, {
    user: { traits_plan: "string", [`traits_only_${value}`]: "string" },
    account: { tier: "string" },
  });
  await organization.write(
    { events: [eventOf(event, ann, { event: value, account_id: acme, entity_id: acme, properties: { plan: value } })] },
    {
      users: {
        written: [userDocument(ann, { traits_plan: value, [`traits_only_${value}`]: "x" }, { accountId: acme })],
      },
      accounts: { written: [accountDocument(acme, { tier: value })] },
    },
  );
  return organization;
}

beforeAll(async () => {
  questions = await openEngine();
  [rich, poor] = [await open("rich"), await open("poor")];
  await rich.write({ evaluation: evaluationOf("gold", { entered: ["ann"] }) });
  await rich.write({ evaluation: evaluationOf("partners", { subjectType: "account", entered: ["acme"] }) });
});

afterAll(() => questions.close());

describe("an organization has no access to the data of another", () => {
  const QUERIES: Record<string, unknown> = {
    users: { term: { plan: "rich" } },
    attributes: { exists: { field: "only_rich" } },
    segments: { term: { segment_ids: gold } },
    "any segment": { exists: { field: "segment_ids" } },
    accounts: { term: { "account.tier": "rich" } },
    "the segments of accounts": { term: { "account.segment_ids": partners } },
    events: { has_child: { query: { term: { event: "rich" } } } },
    "properties of events": { has_child: { query: { term: { "properties.plan": "rich" } } } },
    "the account of an event": {
      has_child: { query: { has_parent: { type: "account", query: { term: { tier: "rich" } } } } },
    },
    "the user of an event": {
      has_child: { query: { has_parent: { type: "user", query: { term: { plan: "rich" } } } } },
    },
    "the events of an account": {
      has_parent: { type: "account", query: { has_child: { query: { term: { event: "rich" } } } } },
    },
  };

  test.for(Object.entries(QUERIES))("%s", async ([, query]) => {
    expect(await rich.find(query)).toBe("ann");
    expect(await poor.find(query)).toBe("");
    expect(await poor.find({ bool: { must_not: query } })).toBe("ann");
    expect(await poor.count(query)).toBe(0);
    const explained = await questions.explain(poor.id, poor.select(query), ann);
    expect(explained?.matches).toBe(false);
    const segment = { id: gold, query: parse(query, { target: "user" }) };
    const reading = { target: "user", attributeTypes: poor.attributeTypes, now: NOW } as const;
    expect((await questions.answer(poor.id, [segment], [ann], reading)).get(ann)?.size ?? 0).toBe(0);
    expect(await questions.changesOf(poor.id, [segment], [ann], reading)).toEqual([]);
    expect(await questions.changesOfSegments(poor.id, [segment], { limit: 10 }, reading)).toEqual([]);
  });

  test("in rows, cursors and aggregations", async () => {
    for (const [organization, value] of [[rich, "rich"] as const, [poor, "poor"] as const]) {
      const page = { sort: [], limit: 10 };
      const [row, ...others] = await questions.page(organization.id, organization.select({}), page);
      expect(others).toEqual([]);
      expect(row).toMatchObject({ report: { traits_plan: value }, account: { report: { tier: value } } });
      expect(row?.segmentIds).toEqual(value === "rich" ? [gold] : []);
      expect(row?.account?.segmentIds).toEqual(value === "rich" ? [partners] : []);
      const aggs = parseAggregations(
        {
          plans: { terms: { field: "plan" } },
          tiers: { terms: { field: "account.tier" } },
          segments: { terms: { field: "segment_ids" } },
        },
        { target: "user" },
      );
      const one = (key: string) => ({ buckets: [{ key, doc_count: 1 }] });
      expect(await questions.aggregate(organization.id, organization.select({}), aggs)).toEqual({
        plans: one(value),
        tiers: one(value),
        segments: value === "rich" ? one(gold) : { buckets: [] },
      });
    }
  });

  test("in figures of events", async () => {
    expect(await questions.findEvent(poor.id, event)).toMatchObject({ event: "poor" });
    expect((await questions.actionsOf(poor.id, ann)).counts).toEqual({ poor: 1 });
    const counts = await questions.countEventsByName(poor.id, ["poor", "rich"]);
    expect(counts.map((counted) => counted.event)).toEqual(["poor"]);
    const span = { from: new Date("2024-01-01"), to: new Date("2024-12-31"), interval: "month" } as const;
    const counted = await questions.countEventsPerInterval(poor.id, span, { top: 10 });
    expect(counted.map((one) => one.event)).toEqual(["poor"]);
    expect(await questions.countMovesPerInterval(poor.id, span, [gold])).toEqual([]);
    expect((await questions.countEntityActions(poor.id, [acme])).get(acme)?.actions).toEqual({ poor: 1 });
  });

  test("in memberships and counts of attributes", async () => {
    expect(await questions.membershipsOf(poor.id, [ann, acme])).toEqual(
      new Map([
        [ann, []],
        [acme, []],
      ]),
    );
    expect((await questions.segmentSizes(poor.id, [gold, partners])).get(gold) ?? 0).toBe(0);
    expect(await questions.membersAfter(poor.id, gold, "", 10)).toEqual([]);
    const { counts } = await questions.countAttributes(poor.id, "user");
    expect([counts.get("traits_only_poor"), counts.get("traits_only_rich") ?? 0]).toEqual([1, 0]);
  });

  test("in extracts", async () => {
    const until = await questions.lastKey(poor.id, "user");
    const segments = { own: [gold], account: [partners] };
    const range = { after: undefined, until: until! };
    const line = await writtenText((path) => questions.writeJsonLines(poor.id, poor.select({}), range, segments, path));
    expect(JSON.parse(line)).toMatchObject({
      traits_plan: "poor",
      segment_ids: [],
      account: { tier: "poor", segment_ids: [] },
    });
  });
});
