import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { parseSort } from "@muster/query";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sized } from "../../../../../../testing/test-length.js";
import type { ChangeSet, UnmergedSubjects } from "../../../domain/changes/change-set.js";
import { makeFolder, openFolder, TIMES_AT_ONCE } from "../contract/open-engine.js";
import { idOf, nameOf, type Organization, openOrganization } from "../contract/organization.test.kit.js";
import { eventOf } from "../contract/steps.test.kit.js";
import type { EventTimesProgress } from "../event-columns.js";
import type { Questions } from "../questions.js";
import { keyOf } from "./layout/keys.js";

const USERS = ["ann", "bob", "cat", "dan"];
const ACCOUNTS = ["acme", "beta"];
/** Some events are written before their times are noted, and some after it. */
const RULES = { ...TIMES_AT_ONCE, leastEvents: 10 };
const NEVER = { ...TIMES_AT_ONCE, leastEvents: Number.POSITIVE_INFINITY };

let folder: string;
let plainFolder: string;
let questions: Questions;
let plainQuestions: Questions;

beforeEach(async () => {
  [folder, plainFolder] = await Promise.all([makeFolder(), makeFolder()]);
  questions = await openFolder(folder, undefined, RULES);
  plainQuestions = await openFolder(plainFolder, undefined, NEVER);
});

afterEach(async () => {
  await Promise.all([questions.close(), plainQuestions.close()]);
  await Promise.all([folder, plainFolder].map((path) => rm(path, { recursive: true, force: true })));
});

/** The same organization in both engines, of which only the first one notes times. */
async function openBoth(): Promise<{ organization: Organization; plain: Organization }> {
  const organization = await openOrganization(questions);
  await plainQuestions.begin(organization.id, "first");
  await plainQuestions.endDocuments(organization.id, 0);
  return { organization, plain: organization.in(plainQuestions) };
}

const NEWEST = parseSort({ created_at: "desc" }, { target: "event" });
const OLDEST = parseSort({ created_at: "asc" }, { target: "event" });

/** Everything that is asked about single users and accounts. */
async function answers(asked: Questions, organization: Organization, limit: number): Promise<unknown> {
  const found = [];
  for (const [key, name] of [
    ...USERS.map((user) => ["user_id", user]),
    ...ACCOUNTS.map((one) => ["account_id", one]),
  ]) {
    const query = { bool: { filter: [{ term: { [key!]: idOf(name!) } }, { term: { event: "Order" } }] } };
    const selection = organization.select(query, "event");
    found.push([name, await asked.count(organization.id, selection)]);
    for (const sort of [NEWEST, OLDEST]) {
      let searchAfter: unknown;
      for (;;) {
        const page = { sort, limit, ...(searchAfter === undefined ? {} : { searchAfter }) };
        const rows = await asked.page(organization.id, selection, page);
        found.push(rows.map(({ id, report }) => `${nameOf(id)} of ${nameOf(String(report.user_id))}`));
        if (rows.length < limit) break;
        searchAfter = rows.at(-1)?.cursor;
      }
    }
  }
  for (const user of USERS) found.push((await asked.actionsOf(organization.id, idOf(user))).counts);
  return found;
}

async function settled({ id }: Organization): Promise<EventTimesProgress> {
  for (;;) {
    const times = (await questions.eventTimes()).find(({ organizationId }) => organizationId === id);
    if (times?.isSettled) return times;
    await setTimeout(2);
  }
}

interface Change {
  kind: "events" | "merge" | "unmerge" | "erase" | "settle" | "reopen";
  events: { user: number; account: number; minute: number; name: string }[];
  one: number;
  other: number;
}

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Change["kind"][]>(
      "events",
      "events",
      "events",
      "merge",
      "unmerge",
      "erase",
      "settle",
      "reopen",
    ),
    events: fc.array(
      fc.record({
        user: fc.nat(USERS.length - 1),
        account: fc.nat(ACCOUNTS.length),
        // Some events have the same time.
        minute: fc.oneof(fc.nat(2), fc.nat(100_000)),
        name: fc.constantFrom("Order", "Page"),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    one: fc.nat(USERS.length - 1),
    other: fc.nat(USERS.length - 1),
  }),
  { minLength: 1, maxLength: 12 },
);

test("whatever happens to events, looking them up by their times finds those that reading all finds", async () => {
  let eventCount = 0;
  await fc.assert(
    fc.asyncProperty(changes, fc.integer({ min: 1, max: 4 }), async (steps, limit) => {
      let { organization, plain } = await openBoth();
      const write = async (change: Partial<ChangeSet>) => {
        await organization.write(change);
        await plain.write(change);
      };
      for (const { kind, events, one, other } of steps) {
        const [user, another] = [idOf(USERS[one]!), idOf(USERS[other]!)];
        if (kind === "events") {
          const written = events.map((event) => {
            eventCount += 1;
            return eventOf(idOf(`e${eventCount.toString(36)}`), idOf(USERS[event.user]!), {
              event: event.name,
              account_id: event.account === ACCOUNTS.length ? null : idOf(ACCOUNTS[event.account]!),
              created_at: new Date(Date.UTC(2024, 5, 1, 0, event.minute)).toISOString(),
            });
          });
          await write({ events: written });
        } else if (kind === "merge" && one !== other) {
          await write({ merges: [mergeOf(user, another)] });
        } else if (kind === "unmerge" && one !== other) {
          await write({ unmerges: [unmergeOf(another, user, user)] });
        } else if (kind === "erase") {
          await Promise.all([questions.erase(organization.id, [user]), plainQuestions.erase(plain.id, [user])]);
        } else if (kind === "settle" && (await organization.count({}, "event")) >= RULES.leastEvents) {
          await settled(organization);
        } else if (kind === "reopen") {
          await questions.close();
          questions = await openFolder(folder, undefined, RULES);
          organization = organization.in(questions);
        }
        expect(await answers(questions, organization, limit)).toEqual(await answers(plainQuestions, plain, limit));
      }
      if ((await organization.count({}, "event")) < RULES.leastEvents) return;
      await settled(organization);
      expect(await answers(questions, organization, limit)).toEqual(await answers(plainQuestions, plain, limit));
    }),
    { numRuns: sized(3, 40) },
  );
});

function unmergeOf(survivor: string, restored: string, origin: string): UnmergedSubjects {
  return { kind: "user", survivor, restored, origins: [origin] } as UnmergedSubjects;
}

function mergeOf(loser: string, survivor: string): ChangeSet["merges"][number] {
  return { kind: "user", loser, survivor, hasEvents: true } as ChangeSet["merges"][number];
}

/** Twelve events of two users at times of their own, which are noted. */
async function writeOrders(): Promise<Organization> {
  const { organization } = await openBoth();
  const orders = Array.from({ length: 12 }, (_, index) =>
    eventOf(idOf(`e${index.toString(36)}`), idOf(index % 2 === 0 ? "ann" : "bob"), {
      account_id: idOf("acme"),
      created_at: new Date(Date.UTC(2024, 5, 1 + index)).toISOString(),
    }),
  );
  await organization.write({ events: orders });
  await settled(organization);
  return organization;
}

function newest(organization: Organization, key: string, name: string): Promise<string> {
  const selection = organization.select({ term: { [key]: idOf(name) } }, "event");
  return questions
    .page(organization.id, selection, { sort: NEWEST, limit: 100 })
    .then((rows) => rows.map(({ id }) => nameOf(id)).join(" "));
}

test("a user has the events of those that were merged into it, and gives them back", async () => {
  const organization = await writeOrders();
  expect(await newest(organization, "user_id", "ann")).toBe("ea e8 e6 e4 e2 e0");
  await organization.write({ merges: [mergeOf(idOf("ann"), idOf("bob"))] });
  expect(await newest(organization, "user_id", "bob")).toBe("eb ea e9 e8 e7 e6 e5 e4 e3 e2 e1 e0");
  expect(await newest(organization, "user_id", "ann")).toBe("");
  await organization.write({ unmerges: [unmergeOf(idOf("bob"), idOf("cat"), idOf("ann"))] });
  expect(await newest(organization, "user_id", "cat")).toBe("ea e8 e6 e4 e2 e0");
  expect(await newest(organization, "user_id", "bob")).toBe("eb e9 e7 e5 e3 e1");
});

test("the times that a merge passes on are counted", async () => {
  const organization = await writeOrders();
  const { entries } = await settled(organization);
  await organization.write({ merges: [mergeOf(idOf("ann"), idOf("bob"))] });
  const [after] = await questions.eventTimes();
  expect(after).toMatchObject({ organizationId: organization.id, entries: entries + 6 });
});

test("nothing is noted about an erased user", async () => {
  const organization = await writeOrders();
  await questions.erase(organization.id, [idOf("ann")]);
  expect(await newest(organization, "account_id", "acme")).toBe("eb e9 e7 e5 e3 e1");
  await settled(organization);
  await questions.close();
  expect(await entriesIn(organization)).toEqual({ acme: 6, bob: 6 });
  questions = await openFolder(folder, undefined, RULES);
});

/** How many different times the file has for each owner. */
async function entriesIn({ id }: Organization): Promise<Record<string, number>> {
  const instance = await DuckDBInstance.create(join(folder, `${id}.duckdb`), { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const tables = await connection.runAndReadAll("select number from event_time_runs where state <> 'unread'");
  const runs = tables.getRows().map(([number]) => `select owner, happened from event_times_${number}`);
  const counted = await connection.runAndReadAll(
    `select owner, count(distinct happened)::integer from (${runs.join(" union all ")}) group by owner`,
  );
  connection.closeSync();
  instance.closeSync();
  const names = new Map([...USERS, ...ACCOUNTS].map((name) => [keyOf(idOf(name)), name]));
  return Object.fromEntries(counted.getRows().map(([owner, count]) => [names.get(owner as bigint), count as number]));
}
