import { createId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestAudience, type TestAudience } from "../../testing/test-audience.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let audience: TestAudience;
let organizationId: string;
/** Two connectors of the organization. */
let shop: string;
let crm: string;
beforeAll(async () => {
  server = await openTestServer();
  audience = openTestAudience(server);
  organizationId = server.first.organization.id;
  shop = server.first.connector.id;
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/connectors",
    headers: server.operatorHeaders,
    payload: { name: "CRM" },
  });
  crm = created.json<{ id: string }>().id;
});
afterAll(() => server.close());

test("a connector lists its own entities and those of the organization, the operator lists all", async () => {
  for (const [owner, uid] of [
    [shop, "of the shop"],
    [crm, "of the crm"],
    ["", "of the organization"],
  ] as const) {
    await audience.entities.create(organizationId, owner, { uid });
  }
  const list = async (reader: string | undefined) => {
    const found = await audience.entities.list(organizationId, reader, {}, { limit: 10, offset: 0 });
    expect(found.total).toBe(found.entities.length);
    return found.entities.map(({ uid }) => uid);
  };
  expect(await list(shop)).toEqual(["of the shop", "of the organization"]);
  expect(await list(crm)).toEqual(["of the crm", "of the organization"]);
  expect(await list(undefined)).toEqual(["of the shop", "of the crm", "of the organization"]);
});

test("an entity cannot belong to a connector of another organization or to an unknown one", async () => {
  const attempt = (organization: string, connector: string) =>
    expect(audience.entities.create(organization, connector, { uid: "x" })).rejects.toMatchObject({
      code: "not_found",
    });
  await attempt(createId("organization"), shop);
  await attempt(organizationId, createId("connector"));
});

test("an entity whose url is removed loses what its page said, and one that keeps it does not", async () => {
  const { id } = await audience.entities.create(organizationId, shop, { url: "https://shop.example/mug" });
  await server.database.query(
    `update entities set document = document || '{"meta_tags": {"title": "Mug"}}'::jsonb where id = $1`,
    [id],
  );
  const edit = (change: object) => audience.entities.update(organizationId, shop, id, change);
  expect(await edit({ description: "Blue" })).toMatchObject({ name: "Mug", description: "Blue" });
  expect(await edit({ url: null })).toMatchObject({ name: null, description: "Blue", url: null, meta_tags: {} });
});
