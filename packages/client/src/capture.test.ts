import { expect, it } from "vitest";
import { Client } from "./client.js";
import type { CapturedEvent } from "./gateway/captured-event.js";

const CONFIG = { id: "0198c2a4f1d002a1b2c3d4e5", secret: "secret", organization: "nobody.invalid" };

it("captureFirehoseEvents keeps batch entries instead of sending them", async () => {
  const client = new Client({ ...CONFIG, captureFirehoseEvents: true, requestId: "r1" });
  const user = client.asUser({ email: "ada@example.com" });
  const receipts = await Promise.all([
    user.track("Signed up", { plan: "pro" }, { event_id: "e1" }),
    user.traits({ n: 1 }),
  ]);
  await client.flush();
  expect(receipts).toEqual([{ position: null }, { position: null }]);
  const context = { organization: CONFIG.organization, id: CONFIG.id, request_id: "r1", subject_type: "user" };
  const body = { ip: null, url: null, referer: null, event_id: "e1", properties: { plan: "pro" }, event: "Signed up" };
  expect(client.configuration().firehoseEvents).toEqual([
    { context: { ...context, user_email: "ada@example.com" }, data: { type: "track", requestId: "r1", body } },
    {
      context: { ...context, user_email: "ada@example.com" },
      data: { type: "traits", requestId: "r1", body: { n: 1 } },
    },
  ]);
});

it("entries are captured when the caller gives an array, also without captureFirehoseEvents", async () => {
  const firehoseEvents: CapturedEvent[] = [];
  await new Client({ ...CONFIG, firehoseEvents }).asAccount({ domain: "example.com" }).alias({ anonymous_id: "a" });
  expect(firehoseEvents.map(({ data }) => data)).toEqual([{ type: "alias", body: { anonymous_id: "a" } }]);
});
