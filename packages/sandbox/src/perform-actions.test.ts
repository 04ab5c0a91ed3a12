import { Client } from "@muster/client";
import { expect, it } from "vitest";
import { performActions } from "./perform-actions.js";
import type { SandboxAction } from "./script-run.js";

const CREDENTIALS = { id: "0198c2a4f1d002a1b2c3d4e5", secret: "s", organization: "acme.example.com", onLog: () => {} };

it("performs every action for its subject, and actions without one for the subject of the script", async () => {
  const client = new Client({ ...CREDENTIALS, captureFirehoseEvents: true });
  const actions: SandboxAction[] = [
    { kind: "traits", subject: {}, attributes: { a: 1 } },
    {
      kind: "track",
      subject: { user: { email: "a@b.c" }, account: { domain: "b.c" } },
      event: "E",
      properties: {},
      context: {},
    },
    { kind: "alias", subject: { user: { email: "a@b.c" } }, body: { anonymous_id: "v" } },
    { kind: "unalias", subject: { account: { domain: "b.c" } }, body: { anonymous_id: "w" } },
  ];
  expect(await performActions(client, actions, { user: { id: "u1" } })).toEqual({ accepted: 4, refused: [] });
  expect(client.configuration().firehoseEvents).toMatchObject([
    { context: { subject_type: "user", user_id: "u1" }, data: { type: "traits", body: { a: 1 } } },
    { context: { user_email: "a@b.c", account_domain: "b.c" }, data: { type: "track" } },
    { context: { user_email: "a@b.c" }, data: { type: "alias" } },
    { context: { subject_type: "account", account_domain: "b.c" }, data: { type: "unalias" } },
  ]);
});

it("reports refused actions and performs the rest", async () => {
  const client = new Client({ ...CREDENTIALS, captureFirehoseEvents: true });
  const outcome = await performActions(client, [
    { kind: "traits", subject: {}, attributes: {} },
    { kind: "traits", subject: { user: { id: "u1" } }, attributes: {} },
  ]);
  expect(outcome).toEqual({ accepted: 1, refused: [expect.stringContaining("have no identifier")] });
});

it("rejects when Muster cannot be reached, so that the caller can repeat all actions", async () => {
  const client = new Client({
    ...CREDENTIALS,
    firehoseUrl: "http://127.0.0.1:1/",
    batching: { maxAttempts: 1, maxDelayMs: 0 },
  });
  const action: SandboxAction = { kind: "traits", subject: { user: { id: "u1" } }, attributes: {} };
  await expect(performActions(client, [action])).rejects.toMatchObject({ code: "connection_failed" });
});
