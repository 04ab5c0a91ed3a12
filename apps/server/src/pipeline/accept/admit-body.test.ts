import { createHash } from "node:crypto";
import { createBrand, Refusal, signToken } from "@muster/protocol";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../domain/entries/entry.js";
import { decompressEntries } from "../../storage/ingest-log/compressed-entries.js";
import { BodyAdmission, type BodyContext } from "./admit-body.js";

const NOW = "2026-01-01T00:00:00.000Z";
const connector = { id: "000000000000010000000000", secret: "the secret" };
const admission = new BodyAdmission(createBrand("Svc"), { maxEntries: 5 });

const context: BodyContext = {
  from: { kind: "entries", connector },
  receivedAtMs: Date.parse(NOW),
  idempotencyKey: undefined,
  keepsRefused: false,
};

const token = (email: string, claims: object = {}) =>
  signToken(
    { iss: connector.id, iat: 1, "io.svc.subjectType": "user", "io.svc.asUser": { email }, ...claims },
    connector.secret,
  );
const entry = (type: string, body: unknown, more: object = {}) => ({
  type,
  headers: { "Svc-Access-Token": token("ann@example.com") },
  body,
  ...more,
});
const bodyOf = (batch: unknown, more: object = {}) => JSON.stringify({ timestamp: NOW, sentAt: NOW, batch, ...more });

const admit = (text: string, more: Partial<BodyContext> = {}) =>
  admission.admit(Buffer.from(text), { ...context, ...more });
const entriesOf = async (text: string): Promise<Entry[]> => (await admit(text)).parts.flatMap(decompressEntries);

async function refusalOf(text: string) {
  const refusal = await admit(text).catch((error: unknown) => error);
  if (!(refusal instanceof Refusal)) throw new Error("The body was not refused.", { cause: refusal });
  const { code, message, details } = refusal;
  return { code, message, details };
}

describe("a body is refused as a whole", () => {
  const malformed = {
    code: "malformed_json",
    message: expect.stringMatching(/^The body is not valid JSON: line 1, column \d+/),
    details: [],
  };

  test.each([
    "{",
    "x",
    `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":[`,
    `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":[1,]}`,
    `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":[1,,2]}`,
    `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":[1}}`,
    `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":[{]}]}`,
    `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":["\\"]}`,
    `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":[1]]`,
  ])("when it is not JSON: %s", async (text) => {
    expect(await refusalOf(text)).toEqual(malformed);
  });

  test("when it is empty", async () => {
    expect(await refusalOf("")).toMatchObject({
      code: "malformed_json",
      message: "The body is empty, but its content type is application/json.",
    });
  });

  test("when it lacks parameters, and names all of them", async () => {
    const details = ["timestamp", "sentAt", "batch"].map((name) => ({ path: `body.${name}`, message: "is required" }));
    const message = "Required parameters are missing: timestamp, sentAt, batch.";
    expect(await refusalOf("{}")).toEqual({ code: "missing_parameters", message, details });
    expect(await refusalOf("null")).toEqual({ code: "missing_parameters", message, details });
  });

  test.each([
    ["[]", "body", ["must be object"]],
    ['"x"', "body", ["must be object"]],
    [bodyOf({}), "body.batch", ["must be array"]],
    [`{"batch":[1],"timestamp":1,"sentAt":1,"batch":2}`, "body.batch", ["must be array"]],
    [bodyOf([], { sentAt: [] }), "body.sentAt", ["must be string", "must be number", "must match a schema in anyOf"]],
    [bodyOf([], { timestamp: "soon" }), "body.timestamp", ["is not a date"]],
  ])("when it is %s", async (text, path, messages) => {
    expect(await refusalOf(text)).toEqual({
      code: "invalid_parameter",
      message: `${path} ${messages[0]}.`,
      details: messages.map((message) => ({ path, message })),
    });
  });

  test("when it has too many entries, or too much beside them", async () => {
    expect(await refusalOf(bodyOf([1, 2, 3, 4, 5, 6]))).toMatchObject({
      code: "payload_too_large",
      message: "A batch holds at most 5 entries, not 6.",
    });
    expect(await refusalOf(bodyOf([], { more: "x".repeat(70_000) }))).toMatchObject({ code: "payload_too_large" });
    expect(await refusalOf(JSON.stringify({ more: Array(50_000).fill(0) }))).toMatchObject({
      code: "payload_too_large",
      message: "A body holds at most 20000 values, not 50002.",
    });
  });
});

describe("entries of a body", () => {
  test("have rows of their lane, and verdicts by their place", async () => {
    const active = { headers: { "Svc-Access-Token": token("bob@example.com", { "io.svc.active": true }) } };
    const { parts, accepted, rejected } = await admit(
      bodyOf([entry("traits", { a: 1 }), 1, entry("track", { event: "Seen" }, active), entry("explode", {})]),
    );
    expect([accepted, rejected.map(({ index }) => index)]).toEqual([2, [1, 3]]);
    expect(parts.map(({ lane, entryCount }) => [lane, entryCount])).toEqual([
      ["a", 1],
      ["l", 1],
    ]);
    expect(parts.flatMap(decompressEntries)).toEqual([
      expect.objectContaining({ type: "track", active: true, user: { email: "bob@example.com" } }),
      {
        type: "traits",
        at: Date.parse(NOW),
        connectorId: connector.id,
        subject: "user",
        user: { email: "ann@example.com" },
        create: true,
        active: false,
        body: { a: 1 },
      },
    ]);
  });

  test("keep their event id, or get one from their content, which differs for equal events of one batch", async () => {
    const events = await entriesOf(
      bodyOf([
        entry("track", { event: "A", event_id: "mine" }),
        entry("track", { event: "A" }, { timestamp: NOW }),
        entry("track", { event: "A" }, { timestamp: NOW }),
      ]),
    );
    const content = JSON.stringify([connector.id, { email: "ann@example.com" }, null, Date.parse(NOW), { event: "A" }]);
    const derived = createHash("sha1").update(content).digest("hex");
    expect(events.map(({ eventId, overwrites }) => [eventId, overwrites])).toEqual([
      ["mine", true],
      [derived, undefined],
      [`${derived}-1`, undefined],
    ]);
  });

  test("keep what the client said about itself and the request", async () => {
    const [first, second] = await entriesOf(
      bodyOf([
        entry("traits", {}, { context: { ip: "1.2.3.4" }, requestId: "r" }),
        entry("traits", {}, { context: {} }),
      ]),
    );
    expect([first?.context, second?.context]).toEqual([{ ip: "1.2.3.4", request_id: "r" }, undefined]);
  });

  test("lose keys that change prototypes, however these are written", async () => {
    const head = `{"type":"traits","headers":${JSON.stringify(entry("", {}).headers)},"body":`;
    const evil = [
      '{"__proto__":{"x":1},"a":1}',
      '{"\\u005f_proto__":{"x":1},"a":1}',
      '{"constructor":{"prototype":{"x":1}},"a":1}',
      '{"constructo\\u0072":{"prototype":{"x":1}},"a":1}',
    ];
    const entries = await entriesOf(
      `{"timestamp":"${NOW}","sentAt":"${NOW}","batch":[${evil.map((body) => `${head}${body}}`).join(",")}]}`,
    );
    expect(entries.map(({ body }) => JSON.stringify(body))).toEqual(Array(4).fill('{"a":1}'));
  });

  test("get verdicts when they are too large, hold too many values or are nested too deep", async () => {
    const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as object;
    const { accepted, rejected } = await admit(
      bodyOf([
        entry("traits", { a: "x".repeat(1_100_000) }),
        entry("traits", { a: Array(20_001).fill(0) }),
        entry("traits", { a: Array(10_001).fill(0) }),
        entry("traits", deep(64)),
        entry("traits", deep(63)),
      ]),
    );
    expect(accepted).toBe(1);
    expect(rejected.map(({ index, code, message }) => [index, code, message])).toEqual([
      [0, "payload_too_large", expect.stringContaining("at most 1048576 bytes")],
      [1, "payload_too_large", expect.stringContaining("at most 20000 values")],
      [2, "invalid_parameter", "The body of an entry holds at most 10000 values."],
      [3, "invalid_parameter", "The entry is nested too deep."],
    ]);
  });

  test("that were refused are given back as texts when somebody watches", async () => {
    const text = bodyOf([entry("traits", {}), { type: "x" }, "y".repeat(1_100_000)]);
    expect((await admit(text, { keepsRefused: true })).refusedTexts).toEqual(['{"type":"x"}', ""]);
    expect((await admit(text)).refusedTexts).toEqual([]);
  });
});

describe("the digest of a body", () => {
  const batch = [entry("traits", { a: 1 }), entry("track", { event: "é\n" }), 1, entry("traits", { b: [1, { c: 2 }] })];
  const digestOf = async (text: string, more: Partial<BodyContext> = {}) =>
    (await admit(text, more)).digest?.toString("hex");
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const expected = sha256(
    `${connector.id} entries [${batch.map((given) => (given === 1 ? "" : JSON.stringify(given))).join(",")}]`,
  );

  test("is taken over the accepted entries, whatever white space and escapes the text has", async () => {
    expect(await digestOf(bodyOf(batch))).toBe(expected);
    expect(await digestOf(JSON.stringify({ sentAt: 1, batch, timestamp: 2 }, null, 2))).toBe(expected);
    expect(await digestOf(bodyOf(batch).replaceAll("é", "\\u00e9"))).toBe(expected);
    expect(await digestOf(bodyOf(batch).replace(",1,", ',{"type":"x"},'))).toBe(expected);
  });

  test("differs with other entries, another order or another place of a refused one", async () => {
    for (const other of [batch.toReversed(), batch.slice(0, 2), [1, ...batch.filter((given) => given !== 1)]]) {
      expect(await digestOf(bodyOf(other))).not.toBe(expected);
    }
  });

  test("is that of the key when there is one", async () => {
    expect(await digestOf(bodyOf(batch), { idempotencyKey: "k" })).toBe(sha256(`${connector.id} key k`));
  });
});
