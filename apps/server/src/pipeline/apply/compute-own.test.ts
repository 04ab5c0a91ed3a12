import { afterAll, beforeAll, expect, test } from "vitest";
import { Roster } from "../../domain/identity/roster.js";
import { createProfile } from "../../domain/profiles/profile.js";
import { createMetrics } from "../../runtime/measures/metrics.js";
import { readRevisions } from "../../storage/postgres/definitions/revisions.js";
import { openIdleServer } from "../../testing/idle-server.js";
import { Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";
import { computeOwn } from "./compute-own.js";

let server: TestServer;
beforeAll(async () => {
  server = await openIdleServer();
});
afterAll(() => server.close());

const LIMITS = { mergesPerDay: 10, maxAnonymousIds: 10, maxSubjectBytes: 1_000_000 };
const TAGS = Array.from({ length: 3_000 }, (_, index) => `tag${index}`);
const open = (type: "user" | "account") => new Roster(type, LIMITS, 0);

/** Users whose formula reads a long list, and has to be evaluated. */
function users(count: number): Roster {
  const roster = open("user");
  for (let index = 0; index < count; index++) {
    const profile = createProfile("user", `user${index}`, 0);
    profile.cells.set("tags", { value: TAGS, written: { at: 1, source: "x" } });
    roster.load(profile);
    roster.noteChange(profile, "tags", null);
  }
  return roster;
}

test("while the formulas of many users are evaluated, the thread serves others", async () => {
  const sender = new Sender(server);
  const payload = { target: "user", name: "has_x", type: "boolean", compute: { formula: 'tags.exists(t, t == "x")' } };
  expect((await sender.call("POST", "/computed_attributes", { payload })).statusCode).toBe(201);
  const organizationId = await sender.organizationId();
  const revision = (await readRevisions(server.database, organizationId))?.computed ?? null;
  const metrics = createMetrics();
  const turnsDuring = async (roster: Roster): Promise<number> => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const state = { users: roster, accounts: open("account") };
    await server.database.transaction((tx) => computeOwn(tx, organizationId, state, { revision, metrics }));
    clearInterval(timer);
    return turns;
  };
  // The definitions are read once.
  await turnsDuring(users(1));
  const roster = users(1_000);
  const few = await turnsDuring(users(1));
  expect(await turnsDuring(roster)).toBeGreaterThan(few + 20);
  expect([...roster.changed()].every(({ cells }) => cells.get("has_x")?.value === false)).toBe(true);
});
