import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../../../../../../testing/test-length.js";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { stepOf, userDocument } from "../steps.test.kit.js";
import { type Action, ChangeLog, EVENTS, type Outcome, SEGMENTS, USERS } from "./change-log.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const user = fc.constantFrom(...USERS);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("profile" as const), user, plan: fc.constantFrom("a", "b") }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("event" as const),
      event: fc.constantFrom(...EVENTS),
      user,
      name: fc.constantFrom("Order", "Page"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("evaluate" as const),
      segment: fc.constantFrom(...SEGMENTS),
      users: fc.uniqueArray(user, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("merge" as const), survivor: user, loser: user }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), user }) },
);

const actions = fc.array(action, { minLength: 5, maxLength: 25 });

/** How one step is delivered to the engine. */
interface Delivery {
  size: number;
  /** How many earlier changes, which are already written, are delivered again with it. */
  overlap: number;
  isRepeated: boolean;
  /** Among how many later changes evaluations are written before the changes in between. */
  lookAhead: number;
}

const deliveries: fc.Arbitrary<Delivery[]> = fc.array(
  fc.record({
    size: fc.integer({ min: 1, max: 6 }),
    overlap: fc.integer({ min: 0, max: 3 }),
    isRepeated: fc.boolean(),
    lookAhead: fc.integer({ min: 0, max: 6 }),
  }),
  { minLength: 1, maxLength: 25 },
);

type Changes = ChangeLog["changes"];

/** Documents are always delivered in their present state, even with old changes. */
function stepFor(changes: Changes, log: ChangeLog, { typeOf }: Organization) {
  const last = changes.at(-1)?.sequence ?? 0;
  const touched = new Set(changes.flatMap(({ change }) => change.users.map(({ id }) => id)));
  const written = [...touched].flatMap((id) => {
    const plan = log.users.get(id);
    return plan === undefined ? [] : [userDocument(id, { traits_plan: plan }, { version: last })];
  });
  const gone = changes.flatMap(({ change }) => [
    ...change.merges.map(({ loser }) => loser),
    ...change.removed.map(({ id }) => id),
  ]);
  return stepOf(changes, { users: { written, gone }, typeOf });
}

/** The evaluations among the next changes, up to a change that removes a subject: none is decided across that. */
function evaluationsAhead(changes: Changes): Changes {
  const end = changes.findIndex(({ change }) => change.merges.length + change.removed.length > 0);
  return changes.slice(0, end === -1 ? undefined : end).filter(({ change }) => change.evaluation);
}

async function deliver(organization: Organization, log: ChangeLog, plan: readonly Delivery[]): Promise<void> {
  const { changes } = log;
  let done = 0;
  for (let round = 0; done < changes.length; round += 1) {
    const { size, overlap, isRepeated, lookAhead } = plan[round % plan.length]!;
    for (const { sequence, change } of evaluationsAhead(changes.slice(done, done + lookAhead))) {
      if (change.evaluation) await questions.writeEvaluation(organization.id, sequence, change.evaluation);
    }
    const step = stepFor(changes.slice(Math.max(0, done - overlap), done + size), log, organization);
    await questions.writeChanges(organization.id, step);
    if (isRepeated) await questions.writeChanges(organization.id, step);
    done += size;
  }
}

async function look(organization: Organization): Promise<Record<keyof Outcome, unknown>> {
  const page = { sort: [], limit: 1_000 };
  const users = await questions.page(organization.id, organization.select({}), page);
  const events = await questions.page(organization.id, organization.select({}, "event"), page);
  const members = SEGMENTS.map(async (name) => [
    name,
    await questions.membersAfter(organization.id, idOf(name), "", 100),
  ]);
  return {
    users: Object.fromEntries(users.map(({ id, report }) => [id, report.traits_plan])),
    events: events.map(({ report }) => report),
    members: Object.fromEntries(await Promise.all(members)),
  };
}

function expected(log: Outcome): Record<keyof Outcome, unknown> {
  const inOrder = [...log.events.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  return {
    users: Object.fromEntries(log.users),
    events: inOrder.map(({ origin_id: _, ...event }) => event),
    members: Object.fromEntries(SEGMENTS.map((name) => [name, [...(log.members.get(idOf(name)) ?? [])].sort()])),
  };
}

test("an engine has the state of the change log, however the log is delivered", async () => {
  await fc.assert(
    fc.asyncProperty(actions, deliveries, async (all, plan) => {
      const organization = await openOrganization(questions, { user: { traits_plan: "string" } });
      const log = new ChangeLog(all);
      await deliver(organization, log, plan);
      expect(await look(organization)).toEqual(expected(log));
      expect((await questions.progress(organization.id)).sequence).toBe(log.changes.length);
      for (const id of log.users.keys()) {
        const own = [...log.events.values()].filter(
          (event) => event.user_id === id && event.event_source !== "platform",
        );
        const counts = (await questions.actionsOf(organization.id, id)).counts;
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(own.length);
      }
      await questions.drop(organization.id);
    }),
    { numRuns: sized(6, 15) },
  );
}, 120_000);
