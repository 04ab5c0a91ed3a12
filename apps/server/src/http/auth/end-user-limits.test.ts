import { afterAll, beforeAll, expect, test } from "vitest";
import { holdNewMinute } from "../../testing/new-minute.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const LIMIT = 64 * 1_024;

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer({
    MAX_SUBJECT_BYTES: String(LIMIT),
    MAX_VALUE_BYTES: "8192",
    MAX_ANONYMOUS_IDS: "3",
    BROWSER_RECORDS_PER_MINUTE: "40",
    END_USER_NEW_ATTRIBUTES_PER_DAY: "1000",
  });
  sender = new Sender(server);
});
afterAll(() => server.close());

const lastRejected = async () => {
  const answer = await sender.call("GET", "/ingestion/rejected?per_page=1");
  return answer.json<{ message: string }[]>()[0]?.message;
};

async function writeAs(external_id: string, payload: object): Promise<void> {
  const answer = await sender.callAs({ user: { external_id } }, "PUT", "/me/traits", { payload });
  await sender.waitFor(answer.json<{ position: string }>().position);
}

const bytesOf = async (external_id: string) => JSON.stringify(await sender.user({ external_id })).length;

test("an end user fills a profile to a quarter of its limit, and a connector to the limit", async () => {
  const text = "x".repeat(8_000);
  for (let part = 0; part < 6; part += 1) await writeAs("filler", { [`part_${part}`]: text });
  expect(await bytesOf("filler")).toBeLessThan(LIMIT / 4 + 4_000);
  expect(await lastRejected()).toContain("a quarter of MAX_SUBJECT_BYTES");

  const user = { external_id: "filler" };
  const entries = Array.from({ length: 12 }, (_, part) => sender.traits({ user }, { [`more_${part}`]: text }));
  await sender.settle(entries);
  expect(await bytesOf("filler")).toBeLessThan(LIMIT + 4_000);
  expect(await bytesOf("filler")).toBeGreaterThan(LIMIT - 16_000);
  expect(await lastRejected()).toContain(`more than ${LIMIT} bytes of attributes (MAX_SUBJECT_BYTES)`);
  // What takes no more room is accepted, and other subjects are not concerned.
  await sender.settle([
    sender.traits({ user }, { more_0: "short" }),
    sender.traits({ user: { external_id: "b" } }, { a: 1 }),
  ]);
  expect(await sender.user(user)).toMatchObject({ traits_more_0: "short" });
});

test("two large profiles are not merged into one that is too large", async () => {
  const large = Object.fromEntries(Array.from({ length: 5 }, (_, part) => [`large_${part}`, "x".repeat(8_000)]));
  const other = Object.fromEntries(Array.from({ length: 5 }, (_, part) => [`other_${part}`, "x".repeat(8_000)]));
  await sender.settle([
    sender.traits({ user: { external_id: "large" } }, large),
    sender.traits({ user: { anonymous_id: "large-browser" } }, other),
    sender.traits({ user: { external_id: "large", anonymous_id: "large-browser" } }, {}),
  ]);
  expect(await lastRejected()).toContain("its attributes would be too large (MAX_SUBJECT_BYTES)");
  expect(await sender.user({ external_id: "large" })).toMatchObject({ anonymous_ids: [] });
});

test("a subject has a limited number of identifiers of each kind", async () => {
  const user = { external_id: "many" };
  const emails = [1, 2, 3, 4].map((number) => sender.entry("alias", { user }, { email: `many-${number}@example.com` }));
  await sender.settle(emails);
  expect(await sender.isKnown({ email: "many-3@example.com" })).toBe(true);
  expect(await sender.isKnown({ email: "many-4@example.com" })).toBe(false);
  expect(await lastRejected()).toContain("has too many identifiers of the kind email");
});

test.each([
  ["session_id", { session_id: "s".repeat(257) }, "The session_id of an event has at most 256 characters."],
  ["ip", { ip: "1".repeat(65) }, "The ip of an event has at most 64 characters."],
  ["source", { source: "s".repeat(513) }, "The source of an event has at most 512 characters."],
])("the %s of an event has a limit", async (_key, fields, message) => {
  await sender.settle([sender.track({ user: { external_id: "texts" } }, "Viewed", fields)]);
  expect(await lastRejected()).toBe(message);
});

test.each(["1990-01-01T00:00:00Z", "2090-01-01T00:00:00Z"])(
  "an end user cannot say that an event was on %s",
  async (created_at) => {
    const user = { external_id: "time-traveller" };
    const answer = await sender.callAs({ user }, "POST", "/me/track", { payload: { event: "Travelled", created_at } });
    await sender.waitFor(answer.json<{ position: string }>().position);
    expect(await lastRejected()).toContain("at most a year older, and a day newer");
    expect(await sender.events({ event: "Travelled" })).toEqual([]);
    // Connectors import old events.
    await sender.settle([sender.track({ user: { external_id: `old-${created_at}` } }, "Imported", { created_at })]);
    expect(await sender.events({ event: "Imported" })).not.toEqual([]);
  },
);

test("an end user cannot have come in the future", async () => {
  await writeAs("future", { created_at: "2090-01-01T00:00:00Z", size: 1 });
  expect(await lastRejected()).toContain("a date in the future");
  expect(await sender.user({ external_id: "future" })).toMatchObject({ traits_size: 1 });
});

test("one token makes a limited number of calls in a minute, and others go on", async () => {
  holdNewMinute();
  const call = (external_id: string) => sender.callAs({ user: { external_id } }, "GET", "/me");
  const answers = await Promise.all(Array.from({ length: 60 }, () => call("hasty")));
  const refused = answers.filter(({ statusCode }) => statusCode === 429);
  expect(refused.length).toBeGreaterThanOrEqual(20);
  expect(refused[0]?.headers["retry-after"]).toBeDefined();
  expect((await call("calm")).statusCode).toBe(200);
});
