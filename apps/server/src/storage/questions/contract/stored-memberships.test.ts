import { parse, type SegmentQuery } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { NOW } from "./dataset.test.data.js";
import { openEngine } from "./open-engine.js";
import { evaluationOf, idOf, nameOf, type Organization, openOrganization } from "./organization.test.kit.js";
import { userDocument } from "./steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const [buyers, readers] = [idOf("buyers"), idOf("readers")];

describe("the segments of a subject", () => {
  test("are returned with the time of entering, for each given id", async () => {
    const organization = await openOrganization(questions);
    await organization.write({
      evaluation: evaluationOf("buyers", { entered: ["ann", "bob"] }, "2024-06-01T00:00:00.000Z"),
    });
    await organization.write({ evaluation: evaluationOf("readers", { entered: ["ann"] }, "2024-06-02T12:34:56.789Z") });
    await organization.write({ evaluation: evaluationOf("buyers", { left: ["bob"] }, "2024-06-03T00:00:00.000Z") });
    const found = await questions.membershipsOf(organization.id, [idOf("ann"), idOf("bob"), idOf("nobody")]);
    expect(found).toEqual(
      new Map([
        [
          idOf("ann"),
          [
            { segmentId: buyers, enteredAt: "2024-06-01T00:00:00.000Z" },
            { segmentId: readers, enteredAt: "2024-06-02T12:34:56.789Z" },
          ],
        ],
        [idOf("bob"), []],
        [idOf("nobody"), []],
      ]),
    );
    expect(await questions.membershipsOf(organization.id, [])).toEqual(new Map());
  });

  test("have the time of the last entering", async () => {
    const organization = await openOrganization(questions);
    const on = (day: string, move: Parameters<typeof evaluationOf>[1]) =>
      organization.write({ evaluation: evaluationOf("buyers", move, `${day}T00:00:00.000Z`) });
    await on("2024-06-01", { entered: ["ann"] });
    await on("2024-06-02", { left: ["ann"] });
    await on("2024-06-03", { entered: ["ann"] });
    expect((await questions.membershipsOf(organization.id, [idOf("ann")])).get(idOf("ann"))).toEqual([
      { segmentId: buyers, enteredAt: "2024-06-03T00:00:00.000Z" },
    ]);
  });
});

describe("the members of a segment", () => {
  let organization: Organization;
  const NAMES = Array.from({ length: 25 }, (_, index) => `u${String(index).padStart(2, "0")}`);

  beforeAll(async () => {
    organization = await openOrganization(questions);
    // Members without documents count too: subjects that do not exist any more must be found, so that they can leave.
    await organization.write({ evaluation: evaluationOf("buyers", { entered: [...NAMES].reverse() }) });
    await organization.write({ evaluation: evaluationOf("readers", { entered: NAMES.slice(0, 3) }) });
    await organization.write({ evaluation: evaluationOf("empty", { entered: ["ann"] }) });
    await organization.write({ evaluation: evaluationOf("empty", { left: ["ann"] }) });
  });

  test("are counted", async () => {
    const sizes = await questions.segmentSizes(organization.id, [buyers, readers, idOf("empty"), idOf("unknown")]);
    const sizeOf = (name: string) => sizes.get(idOf(name)) ?? 0;
    expect(["buyers", "readers", "empty", "unknown"].map(sizeOf)).toEqual([25, 3, 0, 0]);
    expect((await questions.segmentSizes(organization.id, [readers])).get(buyers)).toBeUndefined();
    expect(await questions.segmentSizes(organization.id, [])).toEqual(new Map());
  });

  test("are read in pages, in the order of their ids, each once", async () => {
    const pages: string[][] = [];
    for (let after = ""; ; ) {
      const page = await questions.membersAfter(organization.id, buyers, after, 10);
      if (page.length === 0) break;
      pages.push(page.map(nameOf));
      after = page.at(-1) ?? "";
    }
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(NAMES);
  });

  test("are none after the last one, and none in an empty segment", async () => {
    expect(await questions.membersAfter(organization.id, buyers, idOf("u24"), 10)).toEqual([]);
    expect(await questions.membersAfter(organization.id, idOf("empty"), "", 10)).toEqual([]);
  });
});

describe("evaluating a segment", () => {
  const reading = (organization: Organization) =>
    ({ target: "user", attributeTypes: organization.attributeTypes, now: NOW }) as const;

  async function changesOfAll(organization: Organization, segment: SegmentQuery, limit: number) {
    const found = await questions.changesOfSegments(organization.id, [segment], { limit }, reading(organization));
    const idsWhere = (side: "entered" | "left") => found.filter((moves) => moves[side].length > 0).map(({ id }) => id);
    return { entered: idsWhere("entered"), left: idsWhere("left") };
  }

  test("is done page by page until no change is left", async () => {
    const organization = await openOrganization(questions, { user: { traits_plan: "string" } });
    const names = Array.from({ length: 40 }, (_, index) => `u${String(index).padStart(2, "0")}`);
    const written = names.map((name, index) => userDocument(idOf(name), { traits_plan: index % 2 ? "pro" : "free" }));
    await organization.writeUsers(...written);
    // Some are already members, correctly or not, and one of those does not exist any more.
    await organization.write({ evaluation: evaluationOf("pros", { entered: ["u00", "u01", "u02", "gone"] }) });
    const segment: SegmentQuery = { id: idOf("pros"), query: parse({ term: { plan: "pro" } }, { target: "user" }) };
    const moved: string[] = [];
    for (let round = 1; ; round += 1) {
      const changes = await changesOfAll(organization, segment, 7);
      if (changes.entered.length + changes.left.length === 0) break;
      expect(changes.entered.length + changes.left.length).toBeLessThanOrEqual(7);
      moved.push(...changes.entered, ...changes.left);
      const [entered, left] = [changes.entered.map(nameOf), changes.left.map(nameOf)];
      await questions.writeEvaluation(organization.id, 10 + round, evaluationOf("pros", { entered, left }));
      if (round > 20) throw new Error("The segment is never true.");
    }
    const pros = names.filter((_, index) => index % 2 === 1);
    expect((await questions.membersAfter(organization.id, idOf("pros"), "", 100)).map(nameOf)).toEqual(pros);
    expect(new Set(moved).size).toBe(moved.length);
    expect(moved.map(nameOf).sort()).toEqual([...pros.filter((name) => name !== "u01"), "u00", "u02", "gone"].sort());
  });

  test("whose query does not fit the types of its fields changes nothing, even if it has members", async () => {
    const organization = await openOrganization(questions, { user: { traits_vip: "boolean" } });
    await organization.writeUsers(userDocument(idOf("ann"), { traits_vip: true }));
    await organization.write({ evaluation: evaluationOf("pros", { entered: ["ann", "bob"] }) });
    const segment = { id: idOf("pros"), query: parse({ range: { vip: { gt: 1 } } }, { target: "user" }) };
    const changes = await changesOfAll(organization, segment, 10);
    expect(changes).toEqual({ entered: [], left: [] });
    expect(await questions.changesOf(organization.id, [segment], [idOf("ann")], reading(organization))).toEqual([]);
  });

  test("returns thousands of changes", async () => {
    const organization = await openOrganization(questions, { user: { traits_plan: "string" } });
    const names = Array.from({ length: 3_000 }, (_, index) => `u${index}`);
    await organization.writeUsers(...names.map((name) => userDocument(idOf(name), { traits_plan: "pro" })));
    const segment = { id: idOf("pros"), query: parse({ term: { plan: "pro" } }, { target: "user" }) };
    const { entered } = await changesOfAll(organization, segment, 2_000);
    expect(new Set(entered).size).toBe(2_000);
    await organization.write({ evaluation: evaluationOf("pros", { entered: entered.map(nameOf) }) });
    const rest = await changesOfAll(organization, segment, 2_000);
    expect(rest.entered).toHaveLength(1_000);
    const all = await questions.changesOf(organization.id, [segment], names.map(idOf), reading(organization));
    expect(all).toHaveLength(1_000);
  });
});
