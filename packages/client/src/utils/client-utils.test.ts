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
  it("returns every property of the organization by its key, with its groups, also hidden ones", async () => {
    const tree = [
      {
        text: "User",
        children: [
          { id: "email", text: "Email", type: "string" },
          { text: "CRM", children: [{ id: "traits_crm/stage", text: "Stage", type: "string", configurable: true }] },
        ],
      },
    ];
    const schema = [
      { key: "email", type: "string", visible: true, track_changes: true },
      { key: "traits_crm/salary", type: "number", visible: false, track_changes: false },
    ];
    gateway.willDo(answerJson(200, { version: "new", tree }), answerJson(200, schema));
    expect(await client.utils.properties.get()).toEqual({
      email: {
        id: "email",
        key: "email",
        text: "Email",
        title: "Email",
        type: "string",
        path: ["User"],
        visible: true,
        track_changes: true,
      },
      "traits_crm/stage": {
        id: "traits_crm/stage",
        key: "traits_crm/stage",
        text: "Stage",
        title: "Stage",
        type: "string",
        configurable: true,
        path: ["User", "CRM"],
        visible: true,
      },
      "traits_crm/salary": {
        id: "traits_crm/salary",
        key: "traits_crm/salary",
        text: "crm/salary",
        title: "crm/salary",
        type: "number",
        path: ["crm"],
        visible: false,
        track_changes: false,
      },
    });
    expect(gateway.requests.map(({ url }) => url)).toEqual([
      "/api/v1/search/user_reports/bootstrap",
      "/api/v1/users/schema",
    ]);
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
