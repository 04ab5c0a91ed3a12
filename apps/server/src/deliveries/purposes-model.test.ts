// @module-tag long
import type { WriteKey } from "@muster/protocol/api/write-keys";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sized } from "../../../../testing/test-length.js";
import { PATIENCE, runJob } from "../testing/bulk.js";
import { type ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { DeliveryKit } from "../testing/delivery-kit.js";

const PURPOSES = ["marketing", "analytics"] as const;
type Purpose = (typeof PURPOSES)[number];
const USERS = ["ann", "bob"] as const;

let kit: DeliveryKit;
let connectors: { app: ConnectorApp; id: string }[];
let cases = 0;
let authorization: string;

beforeAll(async () => {
  kit = await DeliveryKit.open({ BROWSER_RECORDS_PER_MINUTE: "1000000" });
  for (const name of PURPOSES) expect((await kit.operator("PUT", `/purposes/${name}`, {})).statusCode).toBe(200);
  const made = await kit.operator("POST", `/${kit.muster.first.connector.id}/write_keys`, {
    kind: "page",
    name: "Shop",
    domains: ["shop.example"],
  });
  authorization = `Basic ${btoa(`${made.json<WriteKey>().key}:`)}`;
  connectors = [
    await kit.install(smartManifest({ name: "With flow control" })),
    await kit.install(smartManifest({ name: "Without", tags: [] })),
    await kit.install(smartManifest({ name: "Another", tags: [] })),
  ];
});
afterAll(async () => {
  await kit.removeConnectors();
  await kit.close();
});

type Consents = Partial<Record<Purpose, boolean>>;

type Act =
  | { kind: "say"; user: number; consents: Consents }
  | { kind: "browse"; user: number; consents: Consents }
  | { kind: "serve"; connector: number; purposes: Purpose[] }
  | { kind: "hold"; connector: number }
  | { kind: "go on"; connector: number };

const consents = fc.record({ marketing: fc.boolean(), analytics: fc.boolean() }, { requiredKeys: [] });
const user = fc.nat({ max: USERS.length - 1 });
const connector = fc.nat({ max: 2 });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("say" as const), user, consents }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("browse" as const), user, consents }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("serve" as const), connector, purposes: fc.subarray([...PURPOSES]) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("hold" as const), connector }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("go on" as const), connector }) },
);

/** What was said last about a purpose, with proof and without, each with the act that said it. */
interface Said {
  proved?: { value: boolean; at: number };
  hinted?: { value: boolean; at: number };
}

/** The plain model: what a user has agreed to, and what each connector has got and still holds. */
class Model {
  readonly #said = new Map<string, Said>();
  readonly #notes = new Map<number, number>();
  readonly connectors = connectors.map(() => ({
    purposes: [...PURPOSES] as Purpose[],
    isHeld: false,
    held: [] as { user: number; note: number }[],
    got: USERS.map(() => [] as number[]),
  }));

  consentOf(user: number, purpose: Purpose): boolean | undefined {
    const { proved, hinted } = this.#said.get(`${user} ${purpose}`) ?? {};
    if (!proved) return hinted?.value;
    return proved.value && hinted?.value === false && hinted.at > proved.at ? false : proved.value;
  }

  mayHave(connector: number, user: number): boolean {
    return this.connectors[connector]!.purposes.every((purpose) => this.consentOf(user, purpose) === true);
  }

  do(one: Act, at: number): void {
    if (one.kind === "say" || one.kind === "browse") this.#say(one, at);
    else {
      const changed = this.connectors[one.connector]!;
      if (one.kind === "serve") changed.purposes = one.purposes;
      else changed.isHeld = one.kind === "hold";
      if (one.kind === "go on") this.#letGo(one.connector);
    }
  }

  #say({ kind, user, consents }: Act & { kind: "say" | "browse" }, at: number): void {
    const before = PURPOSES.map((purpose) => this.consentOf(user, purpose));
    for (const purpose of PURPOSES) {
      const value = consents[purpose];
      if (value === undefined) continue;
      const said = { ...this.#said.get(`${user} ${purpose}`), [kind === "say" ? "proved" : "hinted"]: { value, at } };
      this.#said.set(`${user} ${purpose}`, said);
    }
    const hasChanged = PURPOSES.some((purpose, place) => this.consentOf(user, purpose) !== before[place]);
    if (kind === "say") this.#notes.set(user, at);
    else if (!hasChanged) return;
    for (const [place, { isHeld, held }] of this.connectors.entries()) {
      if (!this.mayHave(place, user)) continue;
      held.push({ user, note: this.#notes.get(user) ?? -1 });
      if (!isHeld) this.#letGo(place);
    }
  }

  /** What is held is sent to whoever may have it at that moment. */
  #letGo(place: number): void {
    const { held, got } = this.connectors[place]!;
    for (const { user, note } of held.splice(0)) if (this.mayHave(place, user)) got[user]!.push(note);
  }
}

/** Does on the server what the model does. */
async function doIt(one: Act, at: number): Promise<void> {
  const traits = (given: Consents) =>
    Object.fromEntries(Object.entries(given).map(([purpose, value]) => [`consents/${purpose}`, value]));
  const { sender, muster } = kit;
  switch (one.kind) {
    case "say":
      await sender.settle([sender.traits({ user: subject(one.user) }, { note: at, ...traits(one.consents) })]);
      return;
    case "browse": {
      const headers = { authorization, origin: "https://shop.example" };
      const payload = { anonymousId: subject(one.user).anonymous_id, traits: traits(one.consents) };
      const answer = await muster.app.inject({ method: "POST", url: "/v1/identify", headers, payload });
      expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
      // The answer has no position, and this record comes after the call.
      await sender.settle([sender.traits({ user: { external_id: "marker" } }, { at })]);
      return;
    }
    case "serve":
      return change(one.connector, { purposes: one.purposes });
    case "hold":
      return change(one.connector, { when_disabled: "hold", enabled: false });
    case "go on":
      return change(one.connector, { enabled: true });
  }
}

async function change(place: number, payload: object): Promise<void> {
  const answer = await kit.operator("PUT", `/${connectors[place]!.id}`, payload);
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
}

const subject = (user: number) => ({
  external_id: `${cases} ${USERS[user]}`,
  anonymous_id: `${cases} browser of ${USERS[user]}`,
});

/** The users that an app was told about, with flow control or without. */
function told({ userMessages, calls }: ConnectorApp): Record<string, unknown>[] {
  const plain = calls.filter(({ body }) => body.Subject === "user_report:update");
  const single = plain.map(({ body }) => JSON.parse(String(body.Message)) as { user: Record<string, unknown> });
  return [...userMessages, ...single].map(({ user }) => user);
}

/** Waits until connectors that may be called have got everything. */
async function whenDelivered(model: Model): Promise<void> {
  const ids = connectors.filter((_, place) => !model.connectors[place]!.isHeld).map(({ id }) => id);
  await vi.waitFor(async () => {
    const { rows } = await kit.muster.database.query("select from outbox where connector_id = any($1::text[])", [ids]);
    expect(rows).toEqual([]);
  }, PATIENCE);
}

test(
  "whatever people agree to and withdraw, connectors get and extracts hold what a plain model allows, and nothing else",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (acts) => {
        cases += 1;
        const model = new Model();
        const script: Act[] = [
          ...connectors.flatMap((_, place): Act[] => [
            { kind: "go on", connector: place },
            { kind: "serve", connector: place, purposes: [...PURPOSES].slice(place) },
          ]),
          // A browser must belong to the user before it can say anything about it.
          ...USERS.map((_, place): Act => ({ kind: "say", user: place, consents: {} })),
          ...acts,
          ...connectors.map((_, place): Act => ({ kind: "go on", connector: place })),
        ];
        for (const [at, one] of script.entries()) {
          model.do(one, at);
          await doIt(one, at);
          await whenDelivered(model);
        }
        const got = connectors.map(({ app }) =>
          USERS.map((_, place) =>
            told(app)
              .filter(({ external_id }) => external_id === subject(place).external_id)
              .map(({ traits_note }) => traits_note),
          ),
        );
        expect(got).toEqual(model.connectors.map((one) => one.got));

        const query = { terms: { external_id: USERS.map((_, place) => subject(place).external_id) } };
        for (const purpose of PURPOSES) {
          const body = { url: null, format: "json", query, purposes: [purpose] };
          const agreed = USERS.filter((_, place) => model.consentOf(place, purpose) === true).length;
          const { result } = await runJob(kit.muster, "/extract/users", body);
          expect(result).toEqual({ records: agreed, format: "json", withheld: USERS.length - agreed });
        }
      }),
      { numRuns: sized(8, 120) },
    );
  },
  sized(240_000, 3_600_000),
);
