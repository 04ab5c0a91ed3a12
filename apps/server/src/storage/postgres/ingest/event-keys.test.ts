import { deriveId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StoredEvent } from "../../../domain/events/stored-event.js";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { loadKnownEvents, saveEventKeys } from "./event-keys.js";

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** Saves the key of an event, of which only the given fields are stored. */
async function save(
  eventId: string,
  known: { event: string; createdAt: number; recordedAt: number },
  organization = "o",
) {
  const stored = { event_id: eventId, user_id: "u", account_id: "c" } as StoredEvent;
  await saveEventKeys(database, organization, [{ stored, known: { id: "", ...known } }]);
}

test("a known event is found by the id of its sender, and has the id that is derived from it", async () => {
  await save("a", { event: "Order", createdAt: 1_000, recordedAt: 5_000 });
  await save("b", { event: "Page", createdAt: -1_000, recordedAt: 5_000 });
  expect(await loadKnownEvents(database, "o", ["a", "b", "unknown"])).toEqual(
    new Map([
      [
        "a",
        {
          id: deriveId("event", 1_000, "a"),
          event: "Order",
          createdAt: 1_000,
          recordedAt: 5_000,
          stored: { event: "Order", userId: "u", accountId: "c" },
        },
      ],
      [
        "b",
        {
          id: deriveId("event", 0, "b"),
          event: "Page",
          createdAt: -1_000,
          recordedAt: 5_000,
          stored: { event: "Page", userId: "u", accountId: "c" },
        },
      ],
    ]),
  );
});

test("saving an id again replaces what is known of it, in the same organization only", async () => {
  await save("again", { event: "Old", createdAt: 1, recordedAt: 1 });
  await save("again", { event: "Other", createdAt: 2, recordedAt: 2 }, "another");
  await save("again", { event: "New", createdAt: 3, recordedAt: 3 });
  expect((await loadKnownEvents(database, "o", ["again"])).get("again")).toMatchObject({ event: "New", recordedAt: 3 });
  expect((await loadKnownEvents(database, "another", ["again"])).get("again")).toMatchObject({ event: "Other" });
});
