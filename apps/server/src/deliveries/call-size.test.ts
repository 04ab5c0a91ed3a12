// @module-tag long
import { createId } from "@muster/protocol";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { appendToOutbox, compressMessages } from "../storage/postgres/delivery/outbox.js";
import { PATIENCE } from "../testing/bulk.js";
import { smartManifest } from "../testing/connector-app.js";
import { DeliveryKit } from "../testing/delivery-kit.js";
import type { Sender } from "../testing/sender.js";

const SEGMENTS = 2_000;

let kit: DeliveryKit;
let sender: Sender;
let segmentIds: string[];

beforeAll(async () => {
  kit = await DeliveryKit.open();
  ({ sender } = kit);
  segmentIds = Array.from({ length: SEGMENTS }, () => createId("users_segment"));
  // As if they were evaluated: nobody is in them.
  const values = Array.from({ length: 60 }, (_, n) => `A rather long value ${n}`);
  const query = { bool: { filter: [{ terms: { "traits_plan.exact": values } }] } };
  await kit.muster.database.query(
    `insert into segments (
       organization_id, id, subject_type, name, query, predicate, changes_with_time, evaluated_revision, evaluated_at
     )
     select o.id, s.id, 'user', 'Segment ' || s.id, $2::text::jsonb, '{}', false, 1, now()
     from unnest($1::text[]) as s (id), organizations o`,
    [segmentIds, JSON.stringify(query)],
  );
});
afterAll(() => kit.close());
afterEach(() => kit.removeConnectors());

test("most calls have only the segments that their messages name and those in the settings of the connector", async () => {
  const { app, id } = await kit.install(
    smartManifest({
      private_settings: [{ name: "lists", type: "array", format: "segment" }],
      subscriptions: [{ url: "/smart-notifier" }],
    }),
  );
  const [chosen] = segmentIds;
  await kit.operator("PUT", `/${id}`, { private_settings: { lists: [chosen] } });
  await app.until(
    ({ notifications }) => notifications.some(({ channel }) => channel === "ship:update"),
    PATIENCE.timeout,
  );
  const created = await kit.operator("POST", "/users_segments", {
    name: "Ladies",
    query: { terms: { "traits_title.exact": ["Lady"] } },
    predicate: {},
  });
  const named = created.json<{ id: string }>().id;
  await sender.send([sender.traits({ user: { external_id: "ada" } }, { title: "Lady" })]);
  await app.until(({ userMessages }) => userMessages.some(({ segment_ids: ids }) => ids.includes(named)));

  const listed = app.notifications.map(({ channel, segments, partial_segments: isPartial, text }) => {
    return { channel, isPartial, segments: segments.map((segment) => segment.id), bytes: text.length };
  });
  const told = listed.filter(({ channel }) => !["user:update", "account:update"].includes(channel));
  expect(told.every(({ isPartial, segments }) => isPartial === undefined && segments.length >= SEGMENTS)).toBe(true);
  const updates = listed.filter(({ isPartial }) => isPartial);
  expect(updates.length).toBeGreaterThan(0);
  for (const { segments } of updates) expect(segments).toContain(chosen);
  expect(updates.at(-1)?.segments).toContain(named);
  expect(Math.max(...updates.map(({ bytes }) => bytes))).toBeLessThan(20_000);
  // All segments would be 4 MB.
  expect(Math.min(...told.map(({ bytes }) => bytes))).toBeGreaterThan(3_000_000);
});

test.each([
  ["", "x".repeat(1024 * 1024)],
  [", in a script whose characters have three bytes,", "語".repeat(350_000)],
])("a call has fewer messages when they are long%s and all of them come in order", async (_script, long) => {
  const { app, id } = await kit.install(smartManifest());
  const texts = Array.from({ length: 20 }, (_, n) => `${n} ${long}`);
  const { rows } = await kit.muster.database.query<{ organization_id: string }>(
    "select organization_id from connectors where id = $1",
    [id],
  );
  const messages = texts.map(
    (text, n) => ({ message_id: `${n}`, kind: "notice", entity_id: id, body: { text } }) as const,
  );
  const recipients = [{ connectorId: id, url: "/smart-notifier", channel: "x", chosen: texts.map((_, n) => n) }];
  const batch = { isExport: false, payload: compressMessages(messages), recipients };
  await appendToOutbox(kit.muster.database, rows[0]!.organization_id, [batch]);
  const received = () => app.notifications.filter(({ channel }) => channel === "x");
  await app.until(() => received().flatMap((call) => call.messages).length >= 20);
  expect(received().flatMap((call) => call.messages)).toEqual(texts.map((text) => ({ text })));
  const sizes = received().map(({ text }) => Buffer.byteLength(text));
  expect(Math.max(...sizes)).toBeLessThan(9 * 1024 * 1024);
  expect(received().map((call) => call.messages.length > 1)).not.toContain(false);
});
