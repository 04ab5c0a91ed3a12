import { setTimeout as sleep } from "node:timers/promises";
import { createdAtOfId } from "@muster/protocol";
import type { AttributeState } from "@muster/protocol/api/history";
import type { Report } from "@muster/protocol/api/subjects";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

/** A moment that is certainly later than all that was settled, and earlier than what comes next. */
async function moment(): Promise<string> {
  await sleep(3);
  const now = new Date().toISOString();
  await sleep(3);
  return now;
}

/** What the history does not keep. */
const NOT_KEPT = new Set([
  ...["external_id", "anonymous_ids", "unproved_attributes", "updated_at", "indexed_at", "segments"],
  ...["first_seen_at", "last_seen_at", "last_known_ip", "first_session_id", "latest_session_id", "signup_session_id"],
]);

function kept(report: Report): Record<string, unknown> {
  const fields = Object.entries(report).filter(([key, value]) => !NOT_KEPT.has(key) && value !== null);
  return Object.fromEntries(
    fields.map(([key, value]) => {
      if (key === "account") return [key, kept(value as Report)];
      return [key, key === "segment_ids" ? [...(value as string[])].sort() : value];
    }),
  );
}

async function report(id: string, at?: string): Promise<Report> {
  const answer = await sender.call("GET", `/${id}/user_report${at === undefined ? "" : `?at=${at}`}`);
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json<Report>();
}

type Step =
  | { kind: "write"; who: number; plan: string | null; score: number }
  | { kind: "link"; who: number; company: number; size: number }
  | { kind: "join"; who: number; visitor: number }
  | { kind: "split"; who: number; visitor: number };

const who = fc.integer({ min: 0, max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("write" as const),
    who,
    plan: fc.constantFrom("free", "pro", "", null),
    score: fc.integer({ min: -3, max: 3 }),
  }),
  fc.record({ kind: fc.constant("link" as const), who, company: who, size: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("join" as const), who, visitor: who }),
  fc.record({ kind: fc.constant("split" as const), who, visitor: who }),
);

describe("what was known at a moment", () => {
  let run = 0;

  test("is what the report said then, after any history", { timeout: 300_000 }, async () => {
    await sender.call("POST", "/users_segments", {
      payload: { name: "Paying", query: { term: { "traits_plan.exact": "pro" } }, predicate: {} },
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        run += 1;
        const userOf = (index: number) => ({ external_id: `past-${run}-${index}` });
        const visitorOf = (index: number) => ({ anonymous_id: `cookie-${run}-${index}` });
        await sender.settle([
          ...[0, 1, 2].map((index) =>
            sender.traits({ user: userOf(index) }, { email: `u${run}-${index}@past.example` }),
          ),
          ...[0, 1, 2].map((index) => sender.traits({ user: visitorOf(index) }, { plan: "visitor", seen: index })),
        ]);
        const shown: { at: string; report: Report }[] = [];
        const visitors = await Promise.all([0, 1, 2].map(async (index) => (await sender.user(visitorOf(index))).id));
        const note = async () => {
          const reports = await Promise.all(
            [...[0, 1, 2].map(userOf), ...[0, 1, 2].map(visitorOf)].map(async (claims) => sender.user(claims)),
          );
          const now = await Promise.all([...new Set(reports.map(({ id }) => id))].map((id) => report(id)));
          const at = await moment();
          shown.push(...now.map((one) => ({ at, report: one })));
        };
        await note();
        for (const one of steps) {
          if (one.kind === "split") await split(visitors[one.visitor]!, visitorOf(one.visitor));
          else await sender.settle([entryOf(one, userOf, visitorOf)]);
          await note();
        }
        for (const { at, report: then } of shown) expect(kept(await report(then.id, at))).toEqual(kept(then));
      }),
      { numRuns: sized(3, 18) },
    );
    expect(run).toBeGreaterThanOrEqual(sized(3, 18));
  });

  /** Undoes the merge of a visitor, if there is one. */
  async function split(id: string, claims: { anonymous_id: string }): Promise<void> {
    const { id: userId } = await sender.user(claims);
    if (userId === id) return;
    const answer = await sender.call("POST", `/${userId}/unmerge`, { payload: { merged_id: id, never_again: false } });
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  }

  function entryOf(
    one: Exclude<Step, { kind: "split" }>,
    userOf: (index: number) => { external_id: string },
    visitorOf: (index: number) => { anonymous_id: string },
  ) {
    const user = userOf(one.who);
    switch (one.kind) {
      case "write":
        return sender.traits({ user }, { plan: one.plan, score: one.score });
      case "link":
        return sender.traits(
          { user, account: { domain: `company-${run}-${one.company}.example` } },
          { size: one.size },
        );
      case "join":
        return sender.traits({ user: { ...user, ...visitorOf(one.visitor) } }, {});
    }
  }

  test("has the writer and the time of each value, and the values before", async () => {
    const user = { external_id: "history" };
    await sender.settle([sender.traits({ user }, { stage: "lead" })]);
    const first = await moment();
    await sender.settle([sender.traits({ user }, { stage: "trial" })]);
    const second = await moment();
    await sender.settle([sender.traits({ user }, { stage: "customer" })]);
    const { id } = await sender.user(user);
    const stageAt = async (at: string) => {
      const answer = await sender.call("GET", `/${id}/attributes?at=${at}`);
      const { attributes, past } = answer.json<{ attributes: AttributeState[]; past: unknown }>();
      expect(past).toEqual({ at, known_since: createdAtOfId(String(id)).toISOString(), not_kept: [] });
      return attributes.find(({ name }) => name === "stage");
    };
    expect(await stageAt(createdAtOfId(String(id)).toISOString())).toMatchObject({ value: "lead", set_by: null });
    expect(await stageAt(first)).toMatchObject({ value: "lead", set_by: null, set_at: null, previous: [] });
    expect(await stageAt(second)).toMatchObject({
      value: "trial",
      set_by: { connector_id: server.first.connector.id },
      previous: [{ value: "lead" }],
    });
  });

  test("is nothing before the subject was known, and cannot be asked of the future or of others", async () => {
    const before = await moment();
    await sender.settle([sender.traits({ user: { external_id: "newcomer" } }, {})]);
    const { id } = await sender.user({ external_id: "newcomer" });
    const ask = async (at: string, from = sender) => {
      const answer = await from.call("GET", `/${id}/user_report?at=${at}`);
      return [answer.statusCode, answer.json<{ error: { message: string } }>().error.message];
    };
    expect(await ask(before)).toEqual([404, expect.stringContaining("was not known then. It is known since")]);
    expect(await ask("2100-01-01T00:00:00Z")).toEqual([400, expect.stringContaining("must be in the past")]);
    expect(await ask("yesterday")).toEqual([400, expect.stringContaining("at")]);
    const stranger = await openOrganization(server, "past-stranger");
    expect(await ask(await moment(), stranger)).toEqual([404, expect.stringContaining("There is no user")]);
  });

  test("does not contain attributes whose changes are not kept, and says which these are", async () => {
    const user = { external_id: "untracked" };
    await sender.settle([sender.traits({ user }, { noise: 1, tone: "calm" })]);
    const { id } = await sender.user(user);
    await sender.call("PUT", "/settings/user_traits/noise?track_changes=false", { headers: server.operatorHeaders });
    const at = await moment();
    await sender.settle([sender.traits({ user }, { noise: 2, tone: "loud" })]);
    const then = await report(String(id), at);
    expect([then.traits_tone, "traits_noise" in then]).toEqual(["calm", false]);
    const { past } = (await sender.call("GET", `/${id}/attributes?at=${at}`)).json<{ past: { not_kept: string[] } }>();
    expect(past.not_kept).toEqual(["noise"]);
  });
});
