import { afterAll, beforeAll, expect, test } from "vitest";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

let muster: TestServer;
beforeAll(async () => {
  muster = await openTestServer({ PUBLIC_URL: "https://example.test", BASE_DOMAIN: "example.test" });
  await muster.listen();
});
afterAll(() => muster.close());

test("connectors get a host of the default organization from which they derive the gateway", async () => {
  const sender = new Sender(muster);
  const smart = await ConnectorApp.open(smartManifest());
  const plain = await ConnectorApp.open(smartManifest({ tags: [] }));
  try {
    const { organization } = await smart.install(muster);
    await plain.install(muster);
    expect(organization).toBe("default.example.test");
    await sender.send([sender.traits({ user: { external_id: "1" } }, {})]);
    await smart.until(({ notifications }) => notifications.length === 1);
    await plain.until(({ calls }) => calls.length === 1);
    expect(smart.notifications[0]?.configuration.organization).toBe("default.example.test");
    expect(plain.calls[0]?.query.get("organization")).toBe("default.example.test");

    const gateway = organization.replace(/^[^.]*/, "firehose");
    const now = new Date().toISOString();
    const sent = await muster.app.inject({
      method: "POST",
      url: "/",
      headers: { ...sender.headers, "svc-organization": organization, host: gateway },
      payload: { batch: [sender.traits({ user: { external_id: "1" } }, { a: 1 })], timestamp: now, sentAt: now },
    });
    expect(sent.json()).toMatchObject({ accepted: 1 });
  } finally {
    await Promise.all([smart.close(), plain.close()]);
  }
});
