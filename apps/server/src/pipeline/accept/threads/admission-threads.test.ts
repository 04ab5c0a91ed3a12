import { BroadcastChannel } from "node:worker_threads";
import { createBrand, Refusal, signToken } from "@muster/protocol";
import fc from "fast-check";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { createMetrics } from "../../../runtime/measures/metrics.js";
import { Threads } from "../../../runtime/threads/threads.js";
import { BodyAdmission, type BodyContext } from "../admit-body.js";
import { AdmissionThreads } from "./admission-threads.js";

// Threads run built code: `npm test` builds before it runs the tests.
const START = new URL("../../../../dist/pipeline/accept/threads/admission-thread.js", import.meta.url);
const NOW = "2026-01-01T00:00:00.000Z";
const connector = { id: "000000000000010000000000", secret: "the secret" };
const limits = { maxEntries: 1_000 };
const context: BodyContext = {
  from: { kind: "entries", connector },
  receivedAtMs: Date.parse(NOW),
  idempotencyKey: undefined,
  keepsRefused: true,
};

// A thread throws when somebody posts to the channel. Vitest's own options would make it load the sources of other packages.
const CHANNEL = "break an admission thread";
const BREAKABLE = `
import { BroadcastChannel } from "node:worker_threads";
const channel = new BroadcastChannel("${CHANNEL}");
channel.unref();
channel.onmessage = () => { throw new Error("broken by a test"); };`;
const execArgv = ["--import", `data:text/javascript,${encodeURIComponent(BREAKABLE)}`];

const opened: AdmissionThreads[] = [];
function openThreads(count: number, metrics = createMetrics()): AdmissionThreads {
  const threads = new Threads({ logLevel: "silent", logger: pino({ level: "silent" }), metrics });
  const admission = new AdmissionThreads({
    threads,
    count,
    start: START,
    execArgv,
    data: { brandWord: "Svc", limits },
  });
  opened.push(admission);
  return admission;
}
afterAll(async () => {
  for (const threads of opened) await threads.close();
});

const headers = {
  "Svc-Access-Token": signToken(
    { iss: connector.id, iat: 1, "io.svc.subjectType": "user", "io.svc.asUser": { email: "ann@example.com" } },
    connector.secret,
  ),
};
const bodyOf = (batch: readonly unknown[], spaces?: number) =>
  Buffer.from(JSON.stringify({ timestamp: NOW, sentAt: NOW, batch }, null, spaces));
const traits = (body: object) => ({ type: "traits", headers, body });

/** A body that takes long: lists in lists. */
function heavyBody(): Buffer {
  const lists = Array.from({ length: 2_400 }, () => [[], [], []]);
  return bodyOf(Array.from({ length: 60 }, () => traits({ lists })));
}

/** What becomes of a body; a refusal as what its sender sees. */
async function outcomeOf(admitted: ReturnType<BodyAdmission["admit"]>): Promise<unknown> {
  try {
    const { parts, digest, ...rest } = await admitted;
    const rows = parts.map(({ payload, ...part }) => ({ ...part, payload: payload.toString("hex") }));
    return { ...rest, rows, digest: digest?.toString("hex") };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, details } = error;
    return { code, message, details };
  }
}

test("the same bodies have the same rows, verdicts and refusals on a thread and without one", async () => {
  const threads = openThreads(1);
  const direct = new BodyAdmission(createBrand("Svc"), limits);
  const entry = fc.oneof(
    fc.record({
      type: fc.constantFrom("traits", "track", "alias", "unalias", "incinerate", "other"),
      headers: fc.constantFrom(headers, {}, { "svc-access-token": "x.y.z" }),
      body: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.record({ event: fc.string() }), fc.jsonValue()),
      timestamp: fc.constantFrom(NOW, 1_700_000_000, "soon", null),
      context: fc.option(fc.jsonValue(), { nil: undefined }),
    }),
    fc.jsonValue(),
  );
  const body = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.array(entry, { maxLength: 30 }), fc.constantFrom(0, 2)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant(undefined), fc.constant(0)) },
  );
  await fc.assert(
    fc.asyncProperty(body, fc.string(), async ([batch, spaces], broken) => {
      const bytes = batch ? bodyOf(batch, spaces) : Buffer.from(broken);
      const expected = await outcomeOf(direct.admit(Buffer.from(bytes), context));
      expect(await outcomeOf(threads.admit("organization", bytes, context))).toEqual(expected);
    }),
    { numRuns: 100 },
  );
}, 60_000);

test("the bytes of large bodies are given away, and memory that others use is not", async () => {
  const threads = openThreads(1);
  const large = bodyOf([traits({ text: "x".repeat(100_000) })]);
  const copied = Buffer.from(new Uint8Array(large).buffer);
  await threads.admit("organization", copied, context);
  expect(copied.length).toBe(0);
  const small = Buffer.from('{"timestamp":0,"sentAt":0,"batch":[1]}');
  const { rejected } = await threads.admit("organization", small, context);
  expect([rejected.length, small.toString("utf8", 0, 5)]).toEqual([1, '{"tim']);
});

test("when a thread fails, the bodies in it are refused as unavailable, and another thread takes the next ones", async () => {
  const metrics = createMetrics();
  const threads = openThreads(1, metrics);
  await threads.admit("organization", bodyOf([traits({})]), context);
  const hit = [1, 2].map(() => outcomeOf(threads.admit("organization", heavyBody(), context)));
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("break");
  for (const outcome of await Promise.all(hit)) {
    expect(outcome).toMatchObject({ code: "unavailable", message: "The batch could not be checked. Send it again." });
  }
  const next = () => threads.admit("organization", bodyOf([traits({})]), context).then(({ accepted }) => accepted);
  await expect.poll(() => next().catch(({ code }) => code), { timeout: 20_000 }).toBe(1);
  channel.close();
  expect(await metrics.scrapes.text()).toContain('muster_thread_failures_total{thread="admission"} 1');
}, 60_000);

test("bodies that are in a thread when it is closed are refused as unavailable, and so are later ones", async () => {
  const threads = openThreads(1);
  const bodies = [1, 2, 3].map(() => outcomeOf(threads.admit("organization", heavyBody(), context)));
  await threads.close();
  const late = outcomeOf(threads.admit("organization", bodyOf([traits({})]), context));
  for (const outcome of await Promise.all([...bodies, late])) expect(outcome).toMatchObject({ code: "unavailable" });
});

test("heavy bodies of one organization do not hold up another", async () => {
  const threads = openThreads(1);
  let isOver = false;
  let finished = 0;
  const flood = Array.from({ length: 10 }, async () => {
    await outcomeOf(threads.admit("flooding", heavyBody(), context));
    if (!isOver) finished += 1;
  });
  for (let batch = 0; batch < 3; batch++) await threads.admit("quiet", bodyOf([traits({ batch })]), context);
  isOver = true;
  expect(finished).toBeLessThan(7);
  await Promise.all(flood);
}, 60_000);

test("an organization that sends more than can wait is refused, and others are not", async () => {
  const threads = openThreads(1);
  const huge = () => Buffer.concat([bodyOf([traits({})]), Buffer.alloc(9_000_000, " ")]);
  const flood = Array.from({ length: 12 }, () => outcomeOf(threads.admit("flooding", huge(), context)));
  const { accepted } = await threads.admit("quiet", bodyOf([traits({})]), context);
  expect(accepted).toBe(1);
  const refusal = { code: "unavailable", message: "Too much is waiting to be checked.", details: [] };
  expect(await Promise.all(flood)).toContainEqual(refusal);
}, 60_000);
