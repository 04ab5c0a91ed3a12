import { callConnector } from "@muster/connector/testing";
import { describe, expect, it, vi } from "vitest";
import { itRefusesStrangers } from "../../testing/refuses-strangers.js";
import { setUpConnector } from "../../testing/set-up-connector.js";
import { createConnector } from "./create-connector.js";

const connector = setUpConnector(createConnector);

const SCRIPT = `
  if (source !== "billing") return;
  asUser({ email: body.email }).account({ domain: "example.com" })
    .traits({ plan: body.plan, agent: headers["x-agent"], list: query.list })
    .track("Invoice paid", { amount: Number(body.amount) });`;

/** The address as the page shows it to a person. */
async function webhookUrl(source: string): Promise<string> {
  const { text } = await connector.call("/admin", { query: { source } });
  const [, url = ""] = /value="(http[^"]+)"/.exec(text) ?? [];
  return url.replaceAll("&amp;", "&");
}

describe("a webhook", () => {
  it("becomes users, accounts and events by the script", async () => {
    connector.settings.code = SCRIPT;
    const url = await webhookUrl("billing");
    const answer = await callConnector(url, {
      query: { list: "7" },
      headers: { "x-agent": "tests" },
      body: { email: "ada@example.com", plan: "pro", amount: "12.5" },
    });
    expect(answer).toMatchObject({ status: 200, body: { accepted: 2, refused: [] } });
    const subject = { subjectType: "user", asUser: { email: "ada@example.com" }, asAccount: { domain: "example.com" } };
    expect(connector.platform.entries).toMatchObject([
      { ...subject, type: "traits", body: { plan: "pro", agent: "tests", list: "7" } },
      { ...subject, type: "track", body: { event: "Invoice paid", properties: { amount: 12.5 } } },
    ]);
  });

  it("may be a form, and the script can tell sources apart", async () => {
    connector.settings.code = SCRIPT;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const form = { headers, body: "email=bo@example.com&plan=free&amount=1" };
    await callConnector(await webhookUrl("other"), form);
    expect(connector.platform.entries).toEqual([]);
    await callConnector(await webhookUrl("billing"), form);
    expect(connector.platform.entries[0]).toMatchObject({
      asUser: { email: "bo@example.com" },
      body: { plan: "free" },
    });
  });

  it("has the same address for a command as for a person", async () => {
    const { body } = await connector.call("/address", { body: { source: "billing" } });
    const { url } = body as { url: string };
    expect(new URL(url).pathname).toBe("/webhooks/billing");
    expect((await callConnector(url, { body: { email: "ada@example.com" } })).status).toBe(200);
    expect((await connector.call("/address", { body: { source: "../admin" } })).status).toBe(400);
    expect((await connector.call("/address", { body: {} })).status).toBe(400);
  });

  it("is refused without the token, and the address does not contain the secret", async () => {
    const url = await webhookUrl("billing");
    expect(url).not.toContain(connector.platform.credentials.secret);
    expect((await callConnector(`${connector.url}/webhooks/billing`, { body: {} })).status).toBe(401);
    expect((await callConnector(`${url}x`, { body: {} })).status).toBe(401);
  });

  it("has an address that is good for sending webhooks of its source and for nothing else", async () => {
    connector.settings.code = SCRIPT;
    await callConnector(await webhookUrl("crm"), { body: { email: "of-another-source@example.com" } });
    const token = new URL(await webhookUrl("billing")).searchParams.get("token") ?? "";
    for (const path of ["/admin", "/address", "/recent", "/preview", "/status", "/webhooks/crm", "/views/admin.html"]) {
      for (const options of [{}, { body: {} }]) {
        const answer = await callConnector(connector.url + path, { ...options, query: { token } });
        expect([path, [401, 404].includes(answer.status)]).toEqual([path, true]);
        expect(answer.text).not.toContain("of-another-source");
      }
    }
  });

  it("has an address that the page makes for any name of a source, and no other text", async () => {
    expect(new URL(await webhookUrl("my.shop_2-eu")).pathname).toBe("/webhooks/my.shop_2-eu");
    for (const name of ["../admin", "a/b", '"><script>', ""]) {
      expect(new URL(await webhookUrl(name)).pathname).toBe("/webhooks/source");
    }
  });

  it("is answered with 422 and logged when the script fails", async () => {
    connector.settings.code = "body.customer.email";
    const answer = await callConnector(await webhookUrl("billing"), { body: {} });
    expect(answer).toMatchObject({ status: 422, body: { error: expect.stringContaining("TypeError") } });
    await vi.waitFor(() => expect(connector.platform.logs).toHaveLength(1));
    expect(connector.platform.logs[0]).toMatchObject({
      data: { hull_summary: expect.stringContaining("webhook of billing") },
    });
  });

  it("is answered with 422 when its body is nested too deep", async () => {
    connector.settings.code = SCRIPT;
    const answer = await fetch(await webhookUrl("billing"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}`,
    });
    expect([answer.status, await answer.json()]).toEqual([
      422,
      { error: expect.stringContaining("nested too deeply") },
    ]);
  });

  it("is answered with what Muster refused", async () => {
    connector.settings.code = `asUser({ email: "" }).traits({ a: 1 }); asAccount({ domain: "b.c" }).traits({ a: 1 }).track("x");`;
    const answer = await callConnector(await webhookUrl("billing"), { body: {} });
    expect(answer.body).toMatchObject({
      accepted: 1,
      refused: [expect.stringContaining("have no identifier"), expect.stringContaining("Events belong to users")],
    });
  });

  it("is dropped while the connector is disabled", async () => {
    connector.settings.code = SCRIPT;
    connector.platform.connector.enabled = false;
    const answer = await callConnector(await webhookUrl("billing"), { body: { email: "a@b.c" } });
    expect(answer.body).toMatchObject({ dropped: expect.any(String) });
    expect(connector.platform.entries).toEqual([]);
  });
});

describe("the page", () => {
  it("opens with the connector's credentials, and goes on with a token of its own", async () => {
    const { text } = await connector.call("/admin");
    const [, token = ""] = /name="token" value="([^"]+)"/.exec(text) ?? [];
    const page = await callConnector(`${connector.url}/admin`, { query: { token, source: "billing" } });
    expect([page.status, page.text.includes("/webhooks/billing?")]).toEqual([200, true]);
    const preview = await callConnector(`${connector.url}/preview`, { query: { token }, body: { code: "" } });
    expect(preview.status).toBe(200);
    expect((await callConnector(`${connector.url}/admin`)).status).toBe(401);
  });
});

describe("the preview", () => {
  it("shows what a script would do with a call, and saves nothing", async () => {
    const code = `asUser({ email: body.email }).traits({ a: 1 }); console.log(source);`;
    const request = { source: "shop", body: { email: "a@b.c" } };
    const { body } = await connector.call("/preview", { body: { code, request } });
    expect(body).toEqual({
      actions: [{ kind: "traits", subject: { user: { email: "a@b.c" } }, attributes: { a: 1 } }],
      logs: ["shop"],
      timeMs: expect.any(Number),
    });
    expect(connector.platform.entries).toEqual([]);
  });

  it("offers the latest calls for trying scripts, without their credentials", async () => {
    connector.settings.code = "";
    const url = await webhookUrl("shop");
    await callConnector(url, { headers: { authorization: "Bearer x" }, body: { n: 1 } });
    await callConnector(url, { body: { n: 2 } });
    const { body, text } = await connector.call("/recent");
    expect(body).toMatchObject([{ source: "shop", body: { n: 2 } }, { body: { n: 1 } }]);
    expect(text).not.toContain("Bearer x");
  });
});

it("warns of a missing script in the status", async () => {
  connector.settings.code = " ";
  expect(await connector.status()).toMatchObject({ status: "warning" });
});

itRefusesStrangers(connector);
