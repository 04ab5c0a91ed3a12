import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { WakeUps } from "../wake-ups.js";
import { SYSTEM_CLOCK } from "./lease-clock.js";
import { listLiveHolders } from "./lease-holders.js";
import { LeaseKeeper } from "./lease-keeper.js";
import { LeaseLost } from "./lease-lost.js";
import { SharedRenewal } from "./shared-renewal.js";
import { WorkLeases, type WorkLeasesOptions } from "./work-leases.js";

const PATIENTLY = { timeout: 20_000, interval: 20 };
const logger = pino({ level: "silent" });
let database: Database;
let opened: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(async () => {
  for (const leases of opened) await leases.close();
  opened = [];
  await database.close();
});

async function open(place: string, options: Partial<WorkLeasesOptions> = {}): Promise<WorkLeases> {
  const wakeUps = new WakeUps({ database, logger });
  await wakeUps.start();
  const leases = new WorkLeases({ database, logger, wakeUps, place, ...options });
  await leases.start();
  opened.push({ close: () => leases.close().then(() => wakeUps.close()) });
  return leases;
}

/** Makes the database refuse the renewals of one holder: the process is paused, or its network is gone. */
function breakable(): { database: Database; state: { isBroken: boolean } } {
  const state = { isBroken: false };
  const transaction: Database["transaction"] = (work, options) =>
    state.isBroken ? Promise.reject(new Error("The network is gone.")) : database.transaction(work, options);
  return { database: { ...database, transaction }, state };
}

test("one process at a time can take work, and another one after the first has released it", async () => {
  const [first, second] = [await open("first"), await open("second")];
  expect(await first.take("delivery")).toBeDefined();
  expect(await first.take("delivery")).toBeDefined();
  expect(await second.take("delivery")).toBeUndefined();
  expect(await second.take("something else")).toBeDefined();
  await first.release("delivery");
  expect(await second.take("delivery")).toBeDefined();
});

test("a process that closes gives all its work to others at once", async () => {
  const [first, second] = [await open("first"), await open("second")];
  expect(await first.take("stage", "organization")).toBeDefined();
  await first.close();
  expect(await second.take("stage", "organization")).toBeDefined();
});

test("a process that replaces another one in its place need not wait for its leases", async () => {
  const first = await open("same place", { leaseMs: 60_000 });
  expect(await first.take("work")).toBeDefined();
  const next = await open("same place");
  expect(await next.take("work")).toBeDefined();
});

test("the leases of a process that does not renew them run out, and it cannot save anything once another has taken over", async () => {
  const broken = breakable();
  const first = await open("first", { leaseMs: 300, database: broken.database });
  const second = await open("second");
  const lease = await first.take("stage", "organization");
  expect(lease?.isValid()).toBe(true);
  await database.transaction((tx) => lease!.confirm(tx));
  broken.state.isBroken = true;
  await vi.waitFor(() => expect(lease?.isValid()).toBe(false), PATIENTLY);
  expect(lease?.isLost()).toBe(false);
  // Nobody has taken over yet, so what it saves is not in question.
  await database.transaction((tx) => lease!.confirm(tx));
  const next = await vi.waitFor(async () => {
    const taken = await second.take("stage", "organization");
    expect(taken).toBeDefined();
    return taken!;
  }, PATIENTLY);
  await expect(database.transaction((tx) => lease!.confirm(tx))).rejects.toThrow(LeaseLost);
  await database.transaction((tx) => next.confirm(tx));
  broken.state.isBroken = false;
  expect(await first.take("stage", "organization")).toBeUndefined();
  expect(lease?.isLost()).toBe(true);
});

test("a process that was paused goes on with its leases when nobody has taken over", async () => {
  const broken = breakable();
  const first = await open("first", { leaseMs: 300, database: broken.database });
  const lease = await first.take("stage", "organization");
  broken.state.isBroken = true;
  await vi.waitFor(() => expect(lease?.isValid()).toBe(false), PATIENTLY);
  broken.state.isBroken = false;
  await vi.waitFor(() => expect(lease?.isValid()).toBe(true), PATIENTLY);
  await database.transaction((tx) => lease!.confirm(tx));
});

/** Clocks that a test moves. */
function handClock() {
  const at = { monotonic: 1_000_000, wall: Date.now() };
  return { at, clock: { monotonicMs: () => at.monotonic, wallMs: () => at.wall } };
}

/** What the database sees of a holder whose machine is suspended: its leases run out. */
const expire = (place: string) =>
  database.query("update lease_holders set expires_at = clock_timestamp() - interval '1 second' where place = $1", [
    place,
  ]);

test("a suspension that stops the monotonic clock makes leases invalid at once", async () => {
  const { at, clock } = handClock();
  const first = await open("first", { leaseMs: 60_000, clock });
  const lease = await first.take("delivery");
  expect(lease?.isValid()).toBe(true);
  at.wall += 61_000;
  expect(lease?.isValid()).toBe(false);
  at.wall -= 61_000;
  at.monotonic += 61_000;
  expect(lease?.isValid()).toBe(false);
});

test("leases that expired while all clocks of the machine stood still are compared with the database at the next renewal", async () => {
  const { clock } = handClock();
  const first = await open("first", { leaseMs: 300, clock });
  const second = await open("second", { leaseMs: 60_000 });
  const [lost, kept] = [await first.take("lost"), await first.take("kept")];
  const onChange = vi.fn();
  first.onChange(onChange);
  await vi.waitFor(async () => {
    await expire("first");
    expect(await second.take("lost")).toBeDefined();
  }, PATIENTLY);
  await vi.waitFor(() => expect(lost?.isLost()).toBe(true), PATIENTLY);
  expect([lost?.isValid(), kept?.isValid()]).toEqual([false, true]);
  expect(onChange).toHaveBeenCalled();
  expect(await first.take("lost")).toBeUndefined();
  await database.transaction((tx) => kept!.confirm(tx));
});

test("another thread keeps the leases of a busy one, and lets those of a dead one run out", async () => {
  const broken = breakable();
  const shared = new SharedRenewal(SYSTEM_CLOCK);
  const kept = { holderId: "busy", shared };
  const first = await open("first", { leaseMs: 900, database: broken.database, kept });
  const keeper = new LeaseKeeper({ database, logger, ...kept, leaseMs: 900, silenceMs: 3_000 });
  keeper.start();
  opened.unshift(keeper);
  const second = await open("second");
  const lease = await first.take("stage", "organization");
  broken.state.isBroken = true;
  // For longer than a lease, it renews nothing itself.
  for (const end = performance.now() + 3_000; performance.now() < end; await sleep(50)) {
    expect(await second.take("stage", "organization")).toBeUndefined();
    expect(lease?.isValid()).toBe(true);
  }
  // Its event loop does not turn any more.
  const beat = vi.spyOn(shared, "beat").mockImplementation(() => {});
  await vi.waitFor(async () => expect(await second.take("stage", "organization")).toBeDefined(), PATIENTLY);
  expect(lease?.isValid()).toBe(false);
  // The keeper does not bring back what has expired.
  beat.mockRestore();
  await sleep(600);
  expect(await second.take("stage", "organization")).toBeDefined();
  await expect(database.transaction((tx) => lease!.confirm(tx))).rejects.toThrow(LeaseLost);
});

test("nobody can take over while a transaction that confirmed its lease is open", async () => {
  const [first, second] = [await open("first"), await open("second")];
  const lease = await first.take("open");
  let taking: Promise<unknown> = Promise.resolve();
  let isTaken = false;
  await database.transaction(async (tx) => {
    await lease!.confirm(tx);
    await first.close();
    taking = second.take("open").then(() => {
      isTaken = true;
    });
    await tx.query("select pg_sleep(0.1)");
    expect(isTaken).toBe(false);
  });
  await taking;
  expect(isTaken).toBe(true);
});

test("a lease says whether another process has had the work in between", async () => {
  const [first, second] = [await open("first"), await open("second")];
  const takeAndRelease = async (leases: WorkLeases) => {
    const lease = await leases.take("turns");
    expect((await leases.take("turns"))?.isContinued).toBe(true);
    await leases.release("turns");
    return lease?.isContinued;
  };
  expect(await takeAndRelease(first)).toBe(false);
  expect(await takeAndRelease(first)).toBe(true);
  expect(await takeAndRelease(second)).toBe(false);
  expect(await takeAndRelease(first)).toBe(false);
});

test("each piece of work of a role belongs to one of the processes that joined it, and moves only when it must", async () => {
  const leases = [
    await open("1", { leaseMs: 300 }),
    await open("2", { leaseMs: 300 }),
    await open("3", { leaseMs: 300 }),
  ];
  const works = Array.from({ length: 300 }, (_, index) => `connector ${index}`);
  const ownerOf = (work: string) => leases.map((each) => each.isMine("deliver", work)).indexOf(true);
  const counts = (work: string) => leases.filter((each) => each.isMine("deliver", work)).length;
  for (const each of leases) each.join("deliver");
  await vi.waitFor(() => expect(works.every((work) => counts(work) === 1)).toBe(true), PATIENTLY);
  const before = new Map(works.map((work) => [work, ownerOf(work)]));
  for (const owner of [0, 1, 2]) {
    expect([...before.values()].filter((each) => each === owner).length).toBeGreaterThan(60);
  }
  leases[2]!.leave("deliver");
  await vi.waitFor(() => expect(works.every((work) => counts(work) === 1)).toBe(true), PATIENTLY);
  const moved = works.filter((work) => ownerOf(work) !== before.get(work));
  expect(moved).toEqual(works.filter((work) => before.get(work) === 2));
});

test("work that is given back, by a process that stops or because it belongs to another, is told to the others at once", async () => {
  const [first, second] = [await open("first", { leaseMs: 60_000 }), await open("second", { leaseMs: 60_000 })];
  const onChange = vi.fn();
  second.onChange(onChange);
  await first.take("work");
  first.join("deliver");
  await vi.waitFor(() => expect(second.hasOthers("deliver")).toBe(true), PATIENTLY);
  onChange.mockClear();
  await first.release("work");
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), PATIENTLY);
  onChange.mockClear();
  await first.close();
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), PATIENTLY);
  expect(second.hasOthers("deliver")).toBe(false);
});

test("the processes that live are listed with their roles", async () => {
  const first = await open("first");
  first.join("worker");
  await vi.waitFor(async () => {
    expect(await listLiveHolders(database)).toMatchObject([{ roles: ["worker"] }]);
  }, PATIENTLY);
  await first.close();
  expect(await listLiveHolders(database)).toEqual([]);
});
