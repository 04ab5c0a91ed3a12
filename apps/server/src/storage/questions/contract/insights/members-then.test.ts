import type { SubjectType } from "@muster/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../../../../../../testing/test-length.js";
import type { Questions } from "../../questions.js";
import { NOW } from "../dataset.test.data.js";
import { openEngine } from "../open-engine.js";
import { evaluationOf, idOf, nameOf, openOrganization } from "../organization.test.kit.js";
import { accountDocument, userDocument } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});
afterAll(() => questions.close());

const NAMES = Array.from({ length: 7 }, (_, index) => `s${index}`);
const HOUR = 3_600_000;
const timeOf = (step: number) => NOW.getTime() - (40 - step) * HOUR;

// Each step moves some of the subjects, one way or the other, in one of two segments.
const history = fc.array(
  fc.record({ segment: fc.constantFrom("gold", "silver"), who: fc.subarray(NAMES, { minLength: 1 }) }),
  { minLength: 1, maxLength: 12 },
);

test.each(["user", "account"] satisfies SubjectType[])(
  "the members of a segment of %ss at any moment are those of a plain model",
  async (subjectType) => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const organization = await openOrganization(questions);
        if (subjectType === "user") await organization.writeUsers(...NAMES.map((name) => userDocument(idOf(name), {})));
        else await organization.writeAccounts(...NAMES.map((name) => accountDocument(idOf(name), {})));
        const members = { gold: new Set<string>(), silver: new Set<string>() };
        const past: Set<string>[] = [new Set()];
        for (const [step, { segment, who }] of steps.entries()) {
          const own = members[segment];
          const left = who.filter((name) => own.has(name));
          const entered = who.filter((name) => !own.has(name));
          for (const name of left) own.delete(name);
          for (const name of entered) own.add(name);
          const evaluation = evaluationOf(
            segment,
            { subjectType, entered, left },
            new Date(timeOf(step)).toISOString(),
          );
          await organization.write({ evaluation });
          past.push(new Set(members.gold));
        }
        const context = { attributeTypes: organization.attributeTypes, now: NOW };
        for (const [index, before] of past.entries()) {
          // A move at the moment itself has happened.
          const then = { segmentId: idOf("gold"), subjectType, at: timeOf(index - 1) };
          const listed = async (who: "before" | "entered" | "left") => {
            const ids = await questions.membersThen(organization.id, { ...then, who }, { limit: 50 }, context);
            return ids.map(nameOf);
          };
          const entered = NAMES.filter((name) => members.gold.has(name) && !before.has(name));
          const left = NAMES.filter((name) => before.has(name) && !members.gold.has(name));
          expect({
            before: await listed("before"),
            entered: await listed("entered"),
            left: await listed("left"),
            counts: await questions.countMembersThen(organization.id, then, context),
          }).toEqual({
            before: NAMES.filter((name) => before.has(name)),
            entered,
            left,
            counts: { before: before.size, now: members.gold.size, entered: entered.length, left: left.length },
          });
        }
      }),
      { numRuns: sized(5, 45) },
    );
  },
);

test("they come in pages, and those who do not exist any more are not among them", async () => {
  const organization = await openOrganization(questions);
  await organization.writeUsers(...NAMES.map((name) => userDocument(idOf(name), {})));
  await organization.write({
    evaluation: evaluationOf("gold", { entered: [...NAMES, "gone"] }, new Date(timeOf(1)).toISOString()),
  });
  const context = { attributeTypes: organization.attributeTypes, now: NOW };
  const given = { segmentId: idOf("gold"), subjectType: "user" as const, at: timeOf(2), who: "before" as const };
  const page = async (after: string | undefined) =>
    (await questions.membersThen(organization.id, given, { after, limit: 3 }, context)).map(nameOf);
  expect([await page(undefined), await page(idOf("s2")), await page(idOf("s5")), await page(idOf("s6"))]).toEqual([
    ["s0", "s1", "s2"],
    ["s3", "s4", "s5"],
    ["s6"],
    [],
  ]);
  expect(await questions.countMembersThen(organization.id, given, context)).toMatchObject({ before: 7, now: 7 });
});
