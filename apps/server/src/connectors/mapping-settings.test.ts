import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const PATTERN = "^[a-z_]+$";
const mapping = (name: string, options: object, format = "traitMapping") => ({ name, type: "array", format, options });

const MANIFEST = smartManifest({
  name: "Mapper",
  tags: [],
  subscriptions: [],
  private_settings: [
    mapping("outgoing", { direction: "outgoing", pattern: PATTERN, loadOptions: "/fields", allowCreate: true }),
    mapping("incoming", { direction: "incoming", pattern: PATTERN, source: "crm" }),
    mapping("incoming_accounts", { direction: "incoming", pattern: PATTERN }, "accountTraitMapping"),
    mapping("slow", { direction: "outgoing", pattern: "^(a+)+$" }),
    { name: "segments", type: "array", format: "segment", options: { standard: { ALL: "Everybody" } } },
    { name: "labels", type: "array", format: "tags" },
    { name: "mode", type: "string", format: "select", enum: ["fast", "safe"] },
    { name: "mood", type: "string", format: "select", enum: ["fast", "safe"], options: { allowCreate: true } },
  ],
});

let muster: TestServer;
let app: ConnectorApp;
let id: string;
let own: Sender;

beforeAll(async () => {
  muster = await openTestServer();
  app = await ConnectorApp.open(MANIFEST);
  const installed = await app.install(muster);
  id = installed.id;
  own = new Sender(muster, installed);
  const account = { external_id: "acme" };
  await own.settle([own.traits({ user: { external_id: "u" }, account }, { "CRM/Stage": "won" })]);
});
beforeEach(() => {
  app.respond = () => ({});
});
afterAll(async () => {
  await muster.close();
  await app.close();
});

async function put(settings: Record<string, unknown>): Promise<{ status: number; problems: string[] }> {
  const answer = await muster.app.inject({
    method: "PUT",
    url: `/api/v1/${id}`,
    headers: muster.operatorHeaders,
    payload: { private_settings: settings },
  });
  const details: { path: string; message: string }[] = answer.json().error?.details ?? [];
  return { status: answer.statusCode, problems: details.map(({ path, message }) => `${path} ${message}`) };
}

const ACCEPTED = { status: 200, problems: [] };

test("the rows of a mapping are checked, and the answer names each wrong place", async () => {
  expect(await put({ outgoing: [{ hull: "email", service: "email", overwrite: true }] })).toEqual(ACCEPTED);
  expect(await put({ outgoing: [{ hull: "email", service: "email" }, { hull: 5, overwrite: 1 }, "x"] })).toEqual({
    status: 400,
    problems: [
      "body.private_settings.outgoing.1.hull must be a text: the attribute",
      "body.private_settings.outgoing.1.service is required: the field of the service",
      "body.private_settings.outgoing.1.overwrite must be true or false",
      "body.private_settings.outgoing.2 must be an object with `hull` and `service`",
    ],
  });
  expect(await put({ outgoing: null })).toEqual(ACCEPTED);
});

test("segments, tags and choices are checked", async () => {
  expect(await put({ segments: ["Customers"], labels: [5], mode: "slow", mood: "slow" })).toEqual({
    status: 400,
    problems: [
      "body.private_settings.segments.0 must be the id of a segment or one of ALL, ANONYMOUS, IDENTIFIED",
      "body.private_settings.labels.0 must be a text",
      "body.private_settings.mode must be one of fast, safe",
    ],
  });
  expect(await put({ segments: ["ALL"], labels: ["a"], mode: "safe", mood: "slow" })).toEqual(ACCEPTED);
});

test("a connector may write what it likes, and the operator may give such a value again", async () => {
  const odd = [{ hull: 5 }];
  expect((await own.call("PUT", "/app", { payload: { private_settings: { incoming: odd } } })).statusCode).toBe(200);
  expect(await put({ incoming: odd, labels: ["b"] })).toEqual(ACCEPTED);
  expect((await put({ incoming: [...odd, { hull: 6 }] })).status).toBe(400);
});

describe("the pattern for new fields", () => {
  const refused = (path: string) => ({
    status: 400,
    problems: [`body.private_settings.${path} must match the pattern ${PATTERN}`],
  });

  test("refuses a new field of the service that does not match", async () => {
    expect(await put({ outgoing: [{ hull: "email", service: "Second Email" }] })).toEqual(
      refused("outgoing.0.service"),
    );
    expect(await put({ outgoing: [{ hull: "Any Attribute", service: "second_email" }] })).toEqual(ACCEPTED);
  });

  test("lets a field pass that the connector offers", async () => {
    app.respond = ({ path }) =>
      path === "/fields"
        ? {
            options: [
              { value: "Second Email", label: "E" },
              { label: "Group", options: [{ value: "In Group" }] },
            ],
          }
        : {};
    expect(await put({ outgoing: [{ hull: "email", service: "Second Email" }] })).toEqual(ACCEPTED);
    expect(await put({ outgoing: [{ hull: "email", service: "In Group" }] })).toEqual(ACCEPTED);
    expect(await put({ outgoing: [{ hull: "email", service: "Not Offered" }] })).toEqual(refused("outgoing.0.service"));
  });

  test("refuses a new field when the connector does not say which fields it has", async () => {
    app.respond = (_call, response) => response.destroy() && undefined;
    expect(await put({ outgoing: [{ hull: "email", service: "Third Email" }] })).toEqual(refused("outgoing.0.service"));
    app.respond = () => ({ options: "none" });
    expect(await put({ outgoing: [{ hull: "email", service: "Third Email" }] })).toEqual(refused("outgoing.0.service"));
  });

  test("refuses a new attribute, and lets one pass that exists", async () => {
    expect(await put({ incoming: [{ hull: "traits_CRM/Phase", service: "Any Field" }] })).toEqual(
      refused("incoming.0.hull"),
    );
    expect(await put({ incoming: [{ hull: "traits_CRM/Stage", service: "Any Field" }] })).toEqual(ACCEPTED);
    expect(await put({ incoming_accounts: [{ hull: "CRM/Stage", service: "Any Field" }] })).toEqual(
      refused("incoming_accounts.0.hull"),
    );
  });

  test("that takes for ever is given up soon, and the server goes on", async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ hull: "x", service: `${"a".repeat(40 + index)}!` }));
    const startedAt = performance.now();
    const { status, problems } = await put({ slow: rows });
    expect([status, problems[0]]).toEqual([
      400,
      "body.private_settings.slow.0.service cannot be checked: the pattern ^(a+)+$ takes too long",
    ]);
    // One row alone would take hours.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await put({ slow: [{ hull: "x", service: "aaa" }] })).toEqual(ACCEPTED);
  });
});
