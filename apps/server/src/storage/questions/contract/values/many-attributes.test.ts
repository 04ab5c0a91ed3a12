import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../../../../../../testing/test-length.js";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { eventOf, userDocument } from "../steps.test.kit.js";
import { writtenText } from "../written-text.test.kit.js";

/** In the long run as many attributes as an organization may have. Ann has a value of each. */
const COUNT = sized(400, 2_000);
const NAMES = Array.from({ length: COUNT }, (_, index) => `attribute number ${index}`);
const ann = idOf("ann");

let questions: Questions;
let organization: Organization;

beforeAll(async () => {
  questions = await openEngine();
  const types = Object.fromEntries(NAMES.map((name, index) => [`traits_${name}`, typeAt(index)]));
  const values = Object.fromEntries(NAMES.map((name, index) => [`traits_${name}`, valueAt(index)]));
  organization = await openOrganization(questions, { user: types });
  await organization.write(
    {
      events: [
        eventOf(idOf("e1"), ann, { properties: Object.fromEntries(NAMES.map((name, at) => [name, valueAt(at)])) }),
      ],
    },
    { users: { written: [userDocument(ann, values), userDocument(idOf("bob"), {})] } },
  );
});

afterAll(() => questions.close());

function typeAt(index: number) {
  return index % 2 === 0 ? ("string" as const) : ("numeric" as const);
}

function valueAt(index: number): string | number {
  return index % 2 === 0 ? `value ${index}` : index;
}

test("each of very many attributes of one user can be queried", async () => {
  const half = COUNT / 2;
  for (const index of [0, 1, 2, half / 2, half - 1, half, half * 1.5, COUNT - 3, COUNT - 2, COUNT - 1]) {
    expect(await organization.find({ term: { [`${NAMES[index]}.raw`]: valueAt(index) } })).toBe("ann");
    expect(await organization.find({ term: { [`properties.${NAMES[index]}.raw`]: valueAt(index) } }, "event")).toBe(
      "e1",
    );
  }
});

test("each of them is counted", async () => {
  const { counts } = await questions.countAttributes(organization.id, "user");
  expect(NAMES.filter((name) => counts.get(`traits_${name}`) !== 1)).toEqual([]);
});

test("all of them are returned, and can change", async () => {
  expect(Object.keys((await organization.read(ann)) ?? {})).toHaveLength(COUNT + 3);
  await organization.writeUsers(userDocument(ann, { [`traits_${NAMES[7]}`]: 70 }, { version: 2 }));
  expect(await organization.find({ term: { [`${NAMES[7]}`]: 70 } })).toBe("ann");
  expect(await organization.find({ exists: { field: `${NAMES[8]}` } })).toBe("");
  await organization.writeUsers(
    userDocument(ann, Object.fromEntries(NAMES.map((name, index) => [`traits_${name}`, valueAt(index)])), {
      version: 3,
    }),
  );
  expect(await organization.find({ term: { [`${NAMES[7]}`]: 7 } })).toBe("ann");
});

test("all of them fit in one extract", async () => {
  const until = (await questions.lastKey(organization.id, "user"))!;
  const columns = NAMES.map((name) => ({ header: name, source: "own" as const, key: `traits_${name}` }));
  const lines = await writtenText((path) =>
    questions.writeCsvLines(
      organization.id,
      organization.select({ term: { id: ann } }),
      { after: undefined, until },
      { own: [], account: [] },
      columns,
      path,
    ),
  );
  expect(lines).toBe(`${NAMES.map((_, index) => `"${valueAt(index)}"`).join(",")}\r\n`);
});
