import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parse, parseSort } from "@muster/query";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sized } from "../../../../../../testing/test-length.js";
import type { ChangeSet, UnmergedSubjects } from "../../../domain/changes/change-set.js";
import { evaluationEvents } from "../../../domain/changes/evaluation-events.js";
import { NOW } from "../contract/dataset.test.data.js";
import { makeFolder } from "../contract/open-engine.js";
import { idOf, nameOf } from "../contract/organization.test.kit.js";
import { changeOf, eventOf, stepOf } from "../contract/steps.test.kit.js";
import { duckdbAsking } from "./duckdb-asking.js";
import { duckdbProjection } from "./duckdb-projection.js";
import { Engine } from "./engine/engine.js";
import type { OrganizationFile } from "./engine/organization-file.js";
import { OrganizationFiles } from "./engine/organization-files.js";
import { keepTimes } from "./times/keep-times.js";

const ORG = "0190000000000100000000aa";
const USERS = ["ann", "bob", "cat", "dan"];
const ACCOUNTS = ["acme", "beta"];
const NAMES = ["Order", "Page", "Bought"];
const RULES = { leastEvents: 0, runEntries: 4, pageRows: 2, lookEveryMs: 0 };

let folder: string;
let engine: Engine;
let files: OrganizationFiles;

beforeEach(async () => {
  folder = await makeFolder();
  await open();
});

afterEach(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<void> {
  engine = await Engine.open({
    memoryBytes: 512 * 1024 * 1024,
    threads: 4,
    reservedBytes: 0,
    spillFolder: join(folder, "spill"),
    timeLimitMs: 30_000,
    slowQueryMs: 60_000,
    onSlow() {},
  });
  files = new OrganizationFiles(engine, { folder, onOpened() {}, onProblem() {} });
}

async function close(): Promise<void> {
  await files.close();
  await engine.close();
}

const use = <Result>(work: (file: OrganizationFile) => Promise<Result>) => files.use(ORG, work);

/** Does one piece of what notes the times. */
const keep = () => use((file) => keepTimes(engine, file, RULES));

async function numberOf(sql: (file: OrganizationFile) => string): Promise<number> {
  const [row] = await use((file) => engine.rows<{ count: bigint }>({ sql: sql(file), params: {} }));
  return Number(row?.count);
}

/** How many events that count as read have an owner for whom their time is not noted. */
function missingTimes(): Promise<number> {
  return numberOf(({ times, databaseName }) => {
    if (times === undefined) return "select 0 as count";
    const owners = ["user_key", "account_key"].map(
      (key) =>
        `select ${key} as owner, created_at as happened from ${databaseName}.events where rowid >= ${times.unread}`,
    );
    return `select count(*) as count from (${owners.join(" union all ")})
      where owner is not null and (owner, happened) not in (${times.entries("true")})`;
  });
}

/** The first events of every user and account, and how many they have. */
async function answers(): Promise<unknown> {
  const asked = duckdbAsking(files);
  const sort = parseSort({ created_at: "desc" }, { target: "event" });
  const attributeTypes = { typeOf: () => undefined };
  const owners = [...USERS.map((name) => ["user_id", name]), ...ACCOUNTS.map((name) => ["account_id", name])];
  const found = [];
  for (const [key, name] of owners) {
    const query = parse({ term: { [key!]: idOf(name!) } }, { target: "event" });
    const selection = { target: "event", query, attributeTypes, now: NOW } as const;
    const rows = await asked.page(ORG, selection, { sort, limit: 5 });
    found.push([name, rows.map(({ id }) => nameOf(id)), await asked.count(ORG, selection)]);
  }
  return found;
}

async function answersOfAll(): Promise<unknown> {
  const times = await use(async (file) => {
    const kept = file.times;
    file.times = undefined;
    return kept;
  });
  const found = await answers();
  await use(async (file) => {
    file.times = times;
  });
  return found;
}

const person = fc.nat(USERS.length - 1);
const events = fc.array(
  fc.record({
    user: person,
    account: fc.nat(ACCOUNTS.length),
    name: fc.constantFrom(...NAMES),
    minute: fc.nat(50_000),
  }),
  { minLength: 1, maxLength: 8 },
);
const steps = fc.oneof(
  fc.record({ kind: fc.constant("events" as const), events }),
  fc.record({ kind: fc.constantFrom("merge" as const, "unmerge" as const), one: person, other: person }),
  fc.record({ kind: fc.constant("rename" as const), from: fc.constantFrom(...NAMES), into: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant("erase" as const), one: person }),
  fc.record({ kind: fc.constantFrom("reopen" as const, "vacuum" as const) }),
  fc.record({ kind: fc.constant("keep" as const), pieces: fc.integer({ min: 1, max: 6 }) }),
);

test("events that move while older ones are noted are found by their times afterwards", async () => {
  let eventCount = 0;
  await fc.assert(
    fc.asyncProperty(events, fc.array(steps, { minLength: 2, maxLength: 14 }), async (first, given) => {
      const projection = () => duckdbProjection(files, evaluationEvents);
      let sequence = 0;
      const write = (change: Partial<ChangeSet>) => {
        sequence += 1;
        return projection().writeChanges(ORG, stepOf([changeOf(sequence, change)]));
      };
      const writeEvents = (written: typeof first) =>
        write({
          events: written.map(({ user, account, name, minute }) => {
            eventCount += 1;
            return eventOf(idOf(`e${eventCount.toString(36)}`), idOf(USERS[user]!), {
              event: name,
              account_id: account === ACCOUNTS.length ? null : idOf(ACCOUNTS[account]!),
              created_at: new Date(Date.UTC(2024, 5, 1, 0, minute)).toISOString(),
            });
          }),
        });
      await projection().begin(ORG, "first");
      await projection().endDocuments(ORG, 0);
      await writeEvents(first);
      await keep();
      for (const step of given) {
        if (step.kind === "events") await writeEvents(step.events);
        else if (step.kind === "rename" && step.from !== step.into) await write({ renamed: [step] });
        else if (step.kind === "erase") await projection().erase(ORG, [idOf(USERS[step.one]!)]);
        else if (step.kind === "vacuum") await use((file) => file.checkpoint({ withVacuum: true }));
        else if (step.kind === "keep") for (let piece = 0; piece < step.pieces; piece++) await keep();
        else if (step.kind === "reopen") {
          await files.close();
          files = new OrganizationFiles(engine, { folder, onOpened() {}, onProblem() {} });
        } else if ((step.kind === "merge" || step.kind === "unmerge") && step.one !== step.other) {
          const [one, other] = [idOf(USERS[step.one]!), idOf(USERS[step.other]!)];
          await write(
            step.kind === "merge" ? { merges: [mergeOf(one, other)] } : { unmerges: [unmergeOf(other, one)] },
          );
        }
        expect(await missingTimes()).toBe(0);
      }
      while (await keep());
      expect(await use(async ({ times }) => times?.isComplete)).toBe(true);
      expect(await missingTimes()).toBe(0);
      expect(await answers()).toEqual(await answersOfAll());
    }),
    { numRuns: sized(5, 40) },
  );
});

function mergeOf(loser: string, survivor: string): ChangeSet["merges"][number] {
  return { kind: "user", loser, survivor, hasEvents: true } as ChangeSet["merges"][number];
}

function unmergeOf(survivor: string, restored: string): UnmergedSubjects {
  return { kind: "user", survivor, restored, origins: [restored] } as UnmergedSubjects;
}

test("rows keep their order when a file is rewritten", async () => {
  const rows = 300_000;
  await use(({ databaseName: name }) =>
    engine.run(
      `insert into ${name}.events (key) select range from range(${rows}) order by 1; delete from ${name}.events where key % 10 = 0`,
    ),
  );
  await files.compact(ORG);
  const places = "count(*) filter (rowid = key - 1 - key // 10)";
  expect(await numberOf(({ databaseName }) => `select ${places} as count from ${databaseName}.events`)).toBe(
    rows * 0.9,
  );
});
