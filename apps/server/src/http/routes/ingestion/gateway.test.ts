import { deflateSync, gzipSync } from "node:zlib";
import { type BatchAnswer, type BatchRefusalBody, createBrand, signToken } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

const { headers: names } = createBrand("Svc");

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer({ GATEWAY_LIMIT_BYTES: "20000", GATEWAY_LIMIT_ENTRIES: "50" });
  sender = new Sender(server);
});
afterAll(() => server.close());

const ann = { user: { email: "ann@example.com" } };

describe("the answer to a batch", () => {
  test("holds a position, the number of accepted entries and no verdicts when all entries are accepted", async () => {
    const answer = await sender.post([sender.traits(ann, { plan: "pro" }), sender.track(ann, "Opened")]);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ position: expect.any(String), accepted: 2, rejected: [], duplicate: false });
    expect(answer.headers[names.position.toLowerCase()]).toBe(answer.json<BatchAnswer>().position);
  });

  test("names refused entries by their index, and the others are applied", async () => {
    const bob = { user: { email: "bob@example.com" } };
    const { position, accepted, rejected } = await sender.send([
      sender.traits(bob, { first: 1 }),
      { ...sender.traits(bob, {}), type: "explode" as "traits" },
      { ...sender.traits(bob, { never: 1 }), headers: {} },
      { ...sender.traits(bob, { never: 2 }), timestamp: "yesterday" },
      { ...sender.traits(bob, {}), body: [] as unknown as Record<string, unknown> },
      sender.track(bob, ""),
      sender.entry("alias", bob, { nickname: "b" }),
      sender.track({ account: { domain: "acme.com" } }, "Opened"),
      sender.traits(bob, { last: 2 }),
    ]);
    expect(accepted).toBe(2);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([
      [1, "invalid_parameter"],
      [2, "invalid_token"],
      [3, "invalid_parameter"],
      [4, "invalid_parameter"],
      [5, "invalid_parameter"],
      [6, "invalid_parameter"],
      [7, "forbidden"],
    ]);
    expect(rejected[6]?.message).toContain("Only users can be tracked");
    await sender.waitFor(position);
    const report = await sender.user(bob.user);
    expect(report).toMatchObject({ traits_first: 1, traits_last: 2 });
    expect(report).not.toHaveProperty("traits_never");
  });

  test("is 400 with a verdict for every entry when none is accepted", async () => {
    const answer = await sender.post([{ ...sender.traits(ann, {}), headers: {} }, "nonsense"]);
    expect(answer.statusCode).toBe(400);
    const body = answer.json<BatchRefusalBody>();
    expect(body.error.code).toBe("batch_refused");
    expect(body.rejected.map(({ index, code }) => [index, code])).toEqual([
      [0, "invalid_token"],
      [1, "invalid_parameter"],
    ]);
    expect(body.error.details.map(({ path }) => path)).toEqual(["body.batch.0", "body.batch.1"]);
  });

  test("is 400 for an empty batch", async () => {
    expect((await sender.post([])).statusCode).toBe(400);
  });

  test.each([
    [{ timestamp: "2026-01-01T00:00:00Z", sentAt: "2026-01-01T00:00:00Z" }, "body.batch"],
    [{ batch: [], sentAt: "2026-01-01T00:00:00Z" }, "body.timestamp"],
    [{ batch: [], timestamp: "2026-01-01T00:00:00Z" }, "body.sentAt"],
  ])("is 400 and names what %o lacks", async (payload, path) => {
    const answer = await server.app.inject({ method: "POST", url: "/firehose", headers: sender.headers, payload });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toMatchObject({ code: "missing_parameters", details: [{ path }] });
  });

  test("is 400 when timestamp or sentAt is no date", async () => {
    const answer = await sender.post([sender.traits(ann, {})], { sentAt: "soon" });
    expect([answer.statusCode, answer.json().error.details[0].path]).toEqual([400, "body.sentAt"]);
  });
});

test("one batch may hold entries of every type, about several users and accounts", async () => {
  const [cyd, dan] = [{ user: { external_id: "cyd" } }, { user: { external_id: "dan" } }];
  const { accepted } = await sender.settle([
    sender.traits(cyd, { plan: "pro" }),
    sender.track(dan, "Opened", { properties: { door: "front" } }),
    sender.entry("alias", cyd, { anonymous_id: "cyd-browser" }),
    sender.entry("alias", dan, { anonymous_id: "dan-browser" }),
    sender.entry("unalias", dan, { anonymous_id: "dan-browser" }),
    sender.traits({ account: { domain: "north.example" } }, { size: 1 }),
    sender.traits({ account: { domain: "south.example" } }, { size: 2 }),
    sender.traits({ ...dan, account: { domain: "south.example" }, subject: "user" }, { plan: "free" }),
  ]);
  expect(accepted).toBe(8);
  expect(await sender.user(cyd.user)).toMatchObject({ traits_plan: "pro", anonymous_ids: ["cyd-browser"] });
  const linked = await sender.user(dan.user);
  expect(linked).toMatchObject({ traits_plan: "free", anonymous_ids: [], account: { size: 2 } });
  expect(await sender.events({ user: linked.id })).toMatchObject([{ event: "Opened", properties: { door: "front" } }]);
  const accounts = await sender.call("POST", "/search/account_reports", { payload: { sort: { size: "asc" } } });
  expect(accounts.json().data).toMatchObject([{ domain: "north.example" }, { domain: "south.example" }]);
});

describe("the body", () => {
  const body = () => {
    const now = new Date().toISOString();
    return JSON.stringify({ batch: [sender.traits(ann, { squeezed: now })], timestamp: now, sentAt: now });
  };
  const post = (payload: Buffer | string, headers: Record<string, string>) =>
    server.app.inject({
      method: "POST",
      url: "/firehose",
      headers: { ...sender.headers, "content-type": "application/json", ...headers },
      payload,
    });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
  ])("may be compressed with %s", async (encoding, compress) => {
    const answer = await post(compress(body()), { "content-encoding": encoding });
    expect([answer.statusCode, answer.json<BatchAnswer>().accepted]).toEqual([200, 1]);
  });

  test("is refused with 415 in an unknown compression, and with 400 when it does not decompress", async () => {
    expect((await post(body(), { "content-encoding": "br" })).statusCode).toBe(415);
    for (const broken of [body(), gzipSync(body()).subarray(0, -20)]) {
      const answer = await post(broken, { "content-encoding": "gzip" });
      expect([answer.statusCode, answer.json().message]).toEqual([400, "The body does not decompress."]);
    }
  });

  test("is refused with 413 when it is too large, also when it is only large after decompression", async () => {
    const large = JSON.stringify({ batch: ["x".repeat(30_000)], timestamp: 0, sentAt: 0 });
    expect((await post(large, {})).statusCode).toBe(413);
    expect((await post(gzipSync(large), { "content-encoding": "gzip" })).statusCode).toBe(413);
    // The error at its end comes when the body was refused already, and must not end the process.
    const huge = gzipSync("x".repeat(1_000_000));
    const broken = Buffer.concat([huge.subarray(0, -8), Buffer.alloc(8)]);
    expect((await post(broken, { "content-encoding": "gzip" })).statusCode).toBe(413);
  });

  test("is refused with 413 when it holds too many entries", async () => {
    const answer = await sender.post(Array.from({ length: 51 }, () => ({})));
    expect([answer.statusCode, answer.json().error.code]).toEqual([413, "payload_too_large"]);
  });

  test("must be JSON", async () => {
    expect((await post("a=b", { "content-type": "application/x-www-form-urlencoded" })).statusCode).toBe(415);
    expect((await post("{", {})).statusCode).toBe(400);
  });
});

describe("a batch sent again", () => {
  const counter = { user: { external_id: "counter" } };

  test("gets its first answer, marked as a duplicate, and is not applied twice, also with other outer times", async () => {
    const batch = [
      sender.traits(counter, { visits: { operation: "inc", value: 1 } }),
      sender.track(counter, "Visited"),
      { ...sender.traits(counter, {}), headers: {} },
    ];
    const first = await sender.send(batch, { timestamp: 1_700_000_000, sentAt: 1_700_000_000 });
    const again = await sender.send(batch);
    expect(again).toEqual({ ...first, duplicate: true });
    expect(again.rejected).toHaveLength(1);
    await sender.waitFor(again.position);
    expect(await sender.user(counter.user)).toMatchObject({ traits_visits: 1 });
    expect(await sender.events({ event: "Visited" })).toHaveLength(1);
  });

  test("is recognized also when both copies arrive at the same time", async () => {
    const batch = [sender.traits({ user: { external_id: "twin" } }, { visits: { operation: "inc", value: 1 } })];
    const answers = await Promise.all([1, 2, 3, 4].map(() => sender.send(batch)));
    expect(answers.map(({ duplicate }) => duplicate).sort()).toEqual([false, true, true, true]);
    expect(new Set(answers.map(({ position }) => position)).size).toBe(1);
    await sender.waitFor(answers[0]?.position ?? "");
    expect(await sender.user({ external_id: "twin" })).toMatchObject({ traits_visits: 1 });
  });

  test("is recognized by its Idempotency-Key, also with other entries", async () => {
    const key = { headers: { "idempotency-key": "batch 17" } };
    const one = await sender.send([sender.traits({ user: { external_id: "keyed" } }, { a: 1 })], key);
    const other = await sender.send([sender.traits({ user: { external_id: "keyed" } }, { b: 1 })], key);
    expect(other).toEqual({ ...one, duplicate: true });
    await sender.waitFor(one.position);
    expect(await sender.user({ external_id: "keyed" })).not.toHaveProperty("traits_b");
  });

  test("is another batch when it has another Idempotency-Key", async () => {
    const batch = [sender.traits({ user: { external_id: "rekeyed" } }, { n: { operation: "inc", value: 1 } })];
    await sender.send(batch, { headers: { "idempotency-key": "one" } });
    const second = await sender.settle(batch, { headers: { "idempotency-key": "two" } });
    expect(second.duplicate).toBe(false);
    expect(await sender.user({ external_id: "rekeyed" })).toMatchObject({ traits_n: 2 });
  });

  test("may hold equal events, which stay separate events", async () => {
    const batch = [sender.track(counter, "Clicked"), sender.track(counter, "Clicked")].map((entry) => ({
      ...entry,
      timestamp: "2026-01-01T00:00:00.000Z",
    }));
    await sender.settle(batch);
    await sender.settle(batch);
    expect(await sender.events({ event: "Clicked" })).toHaveLength(2);
  });
});

describe("the gateway", () => {
  test("answers on POST / of hosts firehose.*, and on no other host", async () => {
    const now = new Date().toISOString();
    const payload = { batch: [sender.traits(ann, { via: "host" })], timestamp: now, sentAt: now };
    const post = (host: string) =>
      server.app.inject({ method: "POST", url: "/", headers: { ...sender.headers, host }, payload });
    expect((await post("firehose.localhost:8080")).json()).toMatchObject({ accepted: 1 });
    expect((await post("FIREHOSE.example.com")).json()).toMatchObject({ accepted: 1, duplicate: true });
    expect((await post("acme.localhost")).statusCode).toBe(404);
  });

  test("needs the secret of the connector: no secret, a wrong one or the token of a user is refused", async () => {
    const post = (headers: Record<string, string>) =>
      server.app.inject({ method: "POST", url: "/firehose", headers, payload: {} });
    expect((await post({})).statusCode).toBe(401);
    expect((await post({ ...sender.headers, [names.accessToken]: "wrong" })).statusCode).toBe(401);
    expect((await post({ ...sender.headers, [names.accessToken]: sender.token(ann) })).statusCode).toBe(403);
  });
});

describe("an entry's token", () => {
  const verdictOn = async (token: string) => {
    const entry = { ...sender.traits(ann, { probe: token.slice(-8) }), headers: { [names.accessToken]: token } };
    // A second entry is always accepted, so that the answer is 200 in every case.
    const { rejected } = await sender.send([entry, sender.traits(ann, { beside: token.slice(-8) })]);
    return rejected[0]?.message;
  };
  const seconds = () => Math.floor(Date.now() / 1_000);

  test("is accepted under both spellings of its header", async () => {
    const entry = sender.traits(ann, { spelled: "lower" });
    const headers = { [names.accessToken.toLowerCase()]: sender.token(ann) };
    expect((await sender.send([{ ...entry, headers }])).accepted).toBe(1);
  });

  test("with exp and nbf is valid between the two times", async () => {
    expect(
      await verdictOn(sender.token({ ...ann, claims: { exp: seconds() + 60, nbf: seconds() - 60 } })),
    ).toBeUndefined();
    expect(await verdictOn(sender.token({ ...ann, claims: { exp: seconds() - 60 } }))).toContain("expired");
    expect(await verdictOn(sender.token({ ...ann, claims: { nbf: seconds() + 60 } }))).toContain("not valid yet");
  });

  test("must be signed with the connector's secret by HS256", async () => {
    const payload = { iss: server.first.connector.id, iat: 1, "io.svc.subjectType": "user", "io.svc.asUser": ann.user };
    expect(await verdictOn(signToken(payload, "another secret"))).toContain("signature");
    const [, body] = signToken(payload, "").split(".");
    const header = (alg: string) => Buffer.from(JSON.stringify({ alg, typ: "JWT" })).toString("base64url");
    expect(await verdictOn(`${header("none")}.${body}.`)).toContain("HS256");
    expect(await verdictOn(`${header("RS256")}.${body}.c2lnbmF0dXJl`)).toContain("HS256");
    expect(await verdictOn("no token at all")).toContain("JSON Web Token");
  });

  test.each([
    ["iss", { iss: undefined }],
    ["iat", { iat: undefined }],
    ["subjectType", { "io.svc.subjectType": undefined }],
    ["subjectType", { "io.svc.subjectType": "robot" }],
    ["another connector", { iss: "000000000000020000000000" }],
    ["has no identifier", { "io.svc.asUser": { nickname: "ann" } }],
    ["asUser", { "io.svc.asUser": undefined, "io.svc.asAccount": { domain: "acme.com" } }],
  ])("is refused because of its %s when the claims hold %o", async (reason, claims) => {
    expect(await verdictOn(sender.token({ ...ann, claims }))).toContain(reason);
  });

  test("may name its subject by sub", async () => {
    await sender.settle([sender.traits(ann, { via: "email" })]);
    const { id } = await sender.user(ann.user);
    const entry = sender.traits({ claims: { sub: id, "io.svc.subjectType": "user" } }, { via: "sub" });
    await sender.settle([entry]);
    expect(await sender.user(ann.user)).toMatchObject({ id, traits_via: "sub" });
  });
});
