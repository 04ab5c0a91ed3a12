// @module-tag long
import { createBrand, type UserClaims } from "@muster/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import { findAll } from "../../testing/find-all.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const position = createBrand("Svc").headers.position.toLowerCase();

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  // What is computed from what others have typed and done.
  const user = { external_id: "before" };
  await sender.settle([
    sender.traits({ user }, { typed: "nothing" }),
    sender.track({ user }, "Typed", { properties: { text: "nothing" } }),
  ]);
  const computed = {
    text: { formula: "coalesce(typed, '')" },
    last_text: { last: { event: "Typed", property: "text" } },
  };
  for (const [name, compute] of Object.entries(computed)) {
    const answer = await sender.call("POST", "/computed_attributes", { payload: { target: "user", name, compute } });
    expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  }
  await vi.waitUntil(async () => (await sender.user(user)).traits_last_text === "nothing", { timeout: 20_000 });
});
afterAll(() => server.close());

const TIMEOUT_MS = 120_000;

/** Users whom the end user must not reach. `{w}` stands for the world of one run. */
const OTHERS = [
  { external_id: "{w}ann", email: "{w}ann@example.com", anonymous_id: "{w}ann-browser" },
  { email: "{w}bob@example.com", anonymous_id: "{w}bob-browser" },
  { external_id: "{w}cay", anonymous_id: "{w}cay-browser" },
];
const IDENTIFIERS = {
  external_id: ["{w}ann", "{w}cay", "{w}mallory", "{w}free"],
  email: ["{w}ann@example.com", "{w}bob@example.com", "{w}MALLORY@example.com", "{w}free@example.com"],
  anonymous_id: ["{w}ann-browser", "{w}bob-browser", "{w}cay-browser", "{w}mallory-browser", "{w}free-browser"],
  domain: ["{w}example.com", "{w}free.example"],
};

const someIdentifiers = fc.record(
  Object.fromEntries(Object.entries(IDENTIFIERS).map(([kind, values]) => [kind, fc.constantFrom(...values)])),
  { requiredKeys: [] },
);

/** Tokens of mallory. A connector signs them: who mallory is, and perhaps an anonymous id that the browser has sent. */
const token: fc.Arbitrary<UserClaims> = fc.oneof(
  fc.constantFrom<UserClaims>(
    { external_id: "{w}mallory" },
    { email: "{w}mallory@example.com" },
    { anonymous_id: "{w}mallory-browser" },
    { anonymous_id: "{w}free-browser" },
  ),
  fc.record({
    external_id: fc.constant("{w}mallory"),
    anonymous_id: fc.constantFrom(...IDENTIFIERS.anonymous_id),
    domain: fc.constantFrom(...IDENTIFIERS.domain),
  }),
  fc.record({
    email: fc.constant("{w}mallory@example.com"),
    anonymous_id: fc.constantFrom(...IDENTIFIERS.anonymous_id),
  }),
);

interface Call {
  method: "POST" | "PUT" | "DELETE";
  path: string;
  payload: Record<string, unknown>;
}

const value = fc.oneof(fc.constantFrom("hacked", 1, true, null), fc.constantFrom(...Object.values(IDENTIFIERS).flat()));
const operation = fc.constantFrom("set", "setIfNull", "inc");
/** A value in each form that the API takes. */
const form = fc.oneof(value, fc.record({ value }), fc.record({ value, operation }));
const attribute = fc.constantFrom(
  ...["note", "traits_note", "name", "email", "external_id", "domain"],
  ...["traits_email", "traits_external_id", "traits_domain"],
);

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({
    method: fc.constantFrom("POST" as const, "DELETE" as const),
    path: fc.constant("/me/alias"),
    payload: fc.oneof(someIdentifiers, fc.dictionary(fc.constantFrom(...Object.keys(IDENTIFIERS)), form)),
  }),
  fc.record({
    method: fc.constantFrom("PUT" as const, "POST" as const),
    path: fc.constant("/me/traits"),
    payload: fc.oneof(fc.dictionary(attribute, form, { maxKeys: 4 }), fc.record({ name: attribute, value, operation })),
  }),
  fc.record({
    method: fc.constant("POST" as const),
    path: fc.constantFrom("/t", "/me/track"),
    payload: fc.record({
      event: fc.constantFrom("Ordered", "Faked"),
      event_id: fc.constantFrom("{w}order-0", "{w}order-1", "{w}order-2"),
      created_at: fc.constantFrom("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
      user_id: fc.constant("{w}ann"),
    }),
  }),
);

const calls = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.record({ token, call }) },
    { weight: 1, arbitrary: fc.record({ token, call: fc.constant("sign in" as const) }) },
  ),
  { minLength: 1, maxLength: 12 },
);

/** Puts the name of a world into everything that was generated. */
const inWorld = <Value>(world: string, given: Value): Value =>
  JSON.parse(JSON.stringify(given).replaceAll("{w}", world)) as Value;

/** The report and the events of a user, found by each of its identifiers. */
async function pictureOf(user: UserClaims) {
  const reports = await Promise.all(Object.entries(user).map(([kind, value]) => sender.user({ [kind]: value })));
  const query = { term: { user_id: reports[0]?.id } };
  const events = await findAll(server, await sender.organizationId(), "event", query);
  // The time of reading is in the report and in that of the account.
  return JSON.stringify({ reports, events }, (key, value) => (key === "indexed_at" ? undefined : value), 1);
}

/** `GET /me` as `GET /:id` answers it. */
function withoutToken(me: object): object {
  const { access_token: _token, ...record } = me as { access_token?: string };
  return record;
}

let worlds = 0;

test(
  "no sequence of calls of an end user changes another user, or shows the end user anything of one",
  async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (given) => {
        const world = `w${++worlds}w`;
        const others: UserClaims[] = inWorld(world, OTHERS);
        await sender.settle(
          others.flatMap((user, index) => [
            sender.traits({ user, account: { external_id: `${world}account` } }, { note: "secret" }),
            sender.track({ user }, "Ordered", {
              event_id: `${world}order-${index}`,
              created_at: "2026-01-01T00:00:00Z",
            }),
          ]),
        );
        const before = await Promise.all(others.map(pictureOf));
        // Somebody who has used a browser before it belongs to the end user. What is typed there is proved by nobody.
        const stranger = { anonymous_id: `${world}free-browser` };
        const typed = await sender.callAs({ user: stranger }, "PUT", "/me/traits", { payload: { typed: "secret" } });
        await sender.waitFor(String(typed.headers[position]));
        const payload = { event: "Typed", properties: { text: "secret" } };
        const tracked = await sender.callAs({ user: stranger }, "POST", "/me/track", { payload });
        await sender.waitFor(String(tracked.headers[position]));
        await vi.waitUntil(async () => (await sender.user(stranger)).traits_last_text === "secret", {
          timeout: 20_000,
        });

        const made = inWorld(world, given);
        const positions = new Set<string>();
        for (const { token: user, call } of made) {
          const { method, path, payload } =
            call === "sign in"
              ? { method: "POST" as const, path: "/users/login", payload: { access_token: sender.token({ user }) } }
              : call;
          const answer = await sender.callAs({ user }, method, path, { payload });
          expect(answer.statusCode).toBeLessThan(500);
          expect(answer.body).not.toContain("secret");
          const written = answer.headers[position];
          if (typeof written === "string") positions.add(written);
        }
        for (const written of positions) await sender.waitFor(written);
        const tokens = new Set(made.map(({ token }) => JSON.stringify(token)));
        const reads = [...tokens].map(async (text) => {
          const user = JSON.parse(text) as UserClaims;
          const read = async (path: string) => {
            const answer = await sender.callAs({ user }, "GET", path);
            expect(answer.body).not.toContain("secret");
            return answer;
          };
          const [me] = await Promise.all(["/me", "/me/user_report", "/me/segments"].map(read));
          const known = me?.json<{ id: string } | false>();
          if (!known) return;
          const own = await read(`/${known.id}`);
          expect([own.statusCode, own.json()]).toEqual([200, withoutToken(known)]);
        });
        await Promise.all(reads);
        expect(await Promise.all(others.map(pictureOf))).toEqual(before);
      }),
      { numRuns: sized(6, 15), endOnFailure: true },
    );
  },
  TIMEOUT_MS,
);
