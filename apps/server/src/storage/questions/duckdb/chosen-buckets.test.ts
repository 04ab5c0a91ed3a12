import { rm } from "node:fs/promises";
import { parseAggregations } from "@muster/query";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeFolder, openFolder } from "../contract/open-engine.js";
import { idOf, openOrganization } from "../contract/organization.test.kit.js";
import { userDocument } from "../contract/steps.test.kit.js";
import { Engine, type Row } from "./engine/engine.js";

test("buckets have their inner buckets, also when others have become more frequent in between", async () => {
  const folder = await makeFolder();
  const questions = await openFolder(folder);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await questions.close();
    await rm(folder, { recursive: true });
  });
  const organization = await openOrganization(questions, { user: { traits_plan: "string", traits_age: "numeric" } });
  const users = (plan: string, ...names: string[]) =>
    organization.writeUsers(
      ...names.map((name, age) => userDocument(idOf(name), { traits_plan: plan, traits_age: age })),
    );
  await users("pro", "ann", "bob");
  await users("free", "cat");

  // The first statement sees two users with "pro", and every other one three with "free".
  const { rows } = Engine.prototype;
  let written: Promise<unknown> | undefined;
  vi.spyOn(Engine.prototype, "rows").mockImplementation(async function <Found extends Row>(
    this: Engine,
    ...asked: Parameters<typeof rows>
  ) {
    if (!asked[0].sql.includes("doc_count")) return rows.apply(this, asked) as Promise<Found[]>;
    if (written) {
      await written;
      return rows.apply(this, asked) as Promise<Found[]>;
    }
    const first = rows.apply(this, asked);
    written = first.then(() => users("free", "dan", "eve"));
    await written;
    return first as Promise<Found[]>;
  });
  const plans = { terms: { field: "plan", size: 1 }, aggs: { ages: { terms: { field: "age" } } } };
  const aggregations = parseAggregations({ plans }, { target: "user" });
  expect((await questions.aggregate(organization.id, organization.select({}), aggregations)).plans).toEqual({
    buckets: [
      {
        key: "pro",
        doc_count: 2,
        ages: {
          buckets: [
            { key: 0, doc_count: 1 },
            { key: 1, doc_count: 1 },
          ],
        },
      },
    ],
  });
  expect(await organization.count({ term: { plan: "free" } })).toBe(3);
});
