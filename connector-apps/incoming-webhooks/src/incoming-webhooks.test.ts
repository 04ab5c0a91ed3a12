import {
  callConnector,
  type FakePlatform,
  type RunningConnector,
  runConnector,
  startFakePlatform,
} from "@muster/connector/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createConnector } from "./create-connector.js";

let platform: FakePlatform;
let running: RunningConnector;
beforeEach(async () => {
  platform = await startFakePlatform();
  const options = { port: 0, hostSecret: "host", clientConfig: { onLog: () => {} }, sendErrorLogs: true };
  running = await runConnector(createConnector(options));
  platform.connector.source_url = running.url;
});
afterEach(async () => {
  await running.close();
  await platform.close();
});

const SCRIPT = `
  if (source !== "billing") return;
  asUser({ email: body.email }).account({ domain: "example.com" })
    .traits({ plan: body.plan, agent: headers["x-agent"], list: query.list })
    .track("Invoice paid", { amount: Number(body.amount) });`;

/** The address as the page shows it to a person. */
async function webhookUrl(source: string): Promise<string> {
  const { text } = await platform.call(`${running.url}/admin`);
  const [, url = ""] = /value="(http[^"]+)"/.exec(text) ?? [];
  return url.replaceAll("&amp;", "&").replace("/source?", `/${source}?`);
}

describe("a webhook", () => {
  it("is mapped to users, accounts and events by the script", async () => {
    platform.connector.private_settings.code = SCRIPT;
    const url = await webhookUrl("billing");
    const answer = await callConnector(url, {
      query: { list: "7" },
      headers: { "x-agent": "tests" },
      body: { email: "ada@example.com", plan: "pro", amount: "12.5" },
    });
    expect(answer).toMatchObject({ status: 200, body: { accepted: 2, refused: [] } });
    const subject = { subjectType: "user", asUser: { email: "ada@example.com" }, asAccount: { domain: "example.com" } };
    expect(platform.entries).toMatchObject([
      { ...subject, type: "traits", body: { plan: "pro", agent: "tests", list: "7" } },
      { ...subject, type: "track", body: { event: "Invoice paid", properties: { amount: 12.5 } } },
    ]);
  });

  it("may be a form, and scripts tell sources apart", async () => {
    platform.connector.private_settings.code = SCRIPT;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const form = { headers, body: "email=bo@example.com&plan=free&amount=1" };
    await callConnector(await webhookUrl("other"), form);
    expect(platform.entries).toEqual([]);
    await callConnector(await webhookUrl("billing"), form);
    expect(platform.entries[0]).toMatchObject({ asUser: { email: "bo@example.com" }, body: { plan: "free" } });
  });

  it("is refused without the token, and the address does not tell the secret", async () => {
    const url = await webhookUrl("billing");
    expect(url).not.toContain(platform.credentials.secret);
    expect((await callConnector(`${running.url}/webhooks/billing`, { body: {} })).status).toBe(401);
    expect((await callConnector(`${url}x`, { body: {} })).status).toBe(401);
  });

  it("whose script fails is answered so, and people are told", async () => {
    platform.connector.private_settings.code = "body.customer.email";
    const answer = await callConnector(await webhookUrl("billing"), { body: {} });
    expect(answer).toMatchObject({ status: 422, body: { error: expect.stringContaining("TypeError") } });
    await vi.waitFor(() => expect(platform.logs).toHaveLength(1));
    expect(platform.logs[0]).toMatchObject({ data: { hull_summary: expect.stringContaining("webhook of billing") } });
  });

  it("whose script names nobody reports what was refused", async () => {
    platform.connector.private_settings.code = `asUser({ email: "" }).traits({ a: 1 }); asAccount({ domain: "b.c" }).traits({ a: 1 }).track("x");`;
    const answer = await callConnector(await webhookUrl("billing"), { body: {} });
    expect(answer.body).toMatchObject({
      accepted: 1,
      refused: [expect.stringContaining("name nobody"), expect.stringContaining("Events belong to users")],
    });
  });

  it("is dropped while the connector is disabled", async () => {
    platform.connector.private_settings.code = SCRIPT;
    platform.connector.enabled = false;
    const answer = await callConnector(await webhookUrl("billing"), { body: { email: "a@b.c" } });
    expect(answer.body).toMatchObject({ dropped: expect.any(String) });
    expect(platform.entries).toEqual([]);
  });
});

describe("the preview", () => {
  it("shows what a script would do with a call, and does nothing", async () => {
    const code = `asUser({ email: body.email }).traits({ a: 1 }); console.log(source);`;
    const request = { source: "shop", body: { email: "a@b.c" } };
    const { body } = await platform.call(`${running.url}/preview`, { body: { code, request } });
    expect(body).toEqual({
      actions: [{ kind: "traits", subject: { user: { email: "a@b.c" } }, attributes: { a: 1 } }],
      logs: ["shop"],
    });
    expect(platform.entries).toEqual([]);
  });

  it("has the latest calls to try scripts on, without their credentials", async () => {
    platform.connector.private_settings.code = "";
    const url = await webhookUrl("shop");
    await callConnector(url, { headers: { authorization: "Bearer x" }, body: { n: 1 } });
    await callConnector(url, { body: { n: 2 } });
    const { body, text } = await platform.call(`${running.url}/recent`);
    expect(body).toMatchObject([{ source: "shop", body: { n: 2 } }, { body: { n: 1 } }]);
    expect(text).not.toContain("Bearer x");
  });
});

it("the status warns of a missing script", async () => {
  platform.connector.private_settings.code = " ";
  expect((await platform.call(`${running.url}/status`, { body: {} })).body).toMatchObject({ status: "warning" });
});
