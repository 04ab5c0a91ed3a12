import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Client } from "../client.js";
import { answerJson, CONNECTOR_ID, type FakeGateway, SECRET, startFakeGateway } from "../testing/fake-gateway.js";

let gateway: FakeGateway;
let client: Client;

beforeEach(async () => {
  gateway = await startFakeGateway();
  client = new Client(gateway.config());
});
afterEach(() => gateway.close());

describe("utils.properties.get", () => {
  it("returns every property of the organization by its key, with its groups", async () => {
    const tree = [
      {
        text: "User",
        children: [
          { id: "email", text: "Email", type: "string" },
          { text: "CRM", children: [{ id: "traits_crm/stage", text: "Stage", type: "string", configurable: true }] },
        ],
      },
    ];
    gateway.willDo(answerJson(200, { version: "new", tree }));
    expect(await client.utils.properties.get()).toEqual({
      email: { id: "email", key: "email", text: "Email", title: "Email", type: "string", path: ["User"] },
      "traits_crm/stage": {
        id: "traits_crm/stage",
        key: "traits_crm/stage",
        text: "Stage",
        title: "Stage",
        type: "string",
        configurable: true,
        path: ["User", "CRM"],
      },
    });
    expect(gateway.requests[0]).toMatchObject({ method: "GET", url: "/api/v1/search/user_reports/bootstrap" });
  });
});

describe("utils.settings.update", () => {
  it("merges into the connector's private settings, which Muster does in one step", async () => {
    const connector = { id: CONNECTOR_ID, private_settings: { token: "t", last_sync: 5 } };
    gateway.willDo(answerJson(200, connector));
    // A scoped client makes this call as the connector, because a user has no settings.
    expect(await client.asUser({ external_id: "1" }).utils.settings.update({ last_sync: 5 })).toEqual(connector);
    expect(gateway.requests).toMatchObject([
      {
        method: "PUT",
        url: `/api/v1/${CONNECTOR_ID}`,
        text: '{"private_settings":{"last_sync":5}}',
        headers: { "svc-access-token": SECRET },
      },
    ]);
  });
});

describe("utils.traits.group", () => {
  it("groups flat keys", () => {
    expect(client.utils.traits.group({ traits_plan: "pro" })).toEqual({ traits: { plan: "pro" } });
  });
});
