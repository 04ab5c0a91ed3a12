import { createBrand, type EventRecord, MUSTER_SOURCE } from "@muster/protocol";
import { expect, test } from "vitest";
import type { StoredUpdate } from "./message.js";
import { toldEvents } from "./told-events.js";

function event(name: string, source: string, type: string): EventRecord {
  return {
    event: name,
    event_id: "1",
    event_source: source,
    event_type: type,
    created_at: "2026-01-01T00:00:00.000Z",
    user_id: "u",
    anonymous_id: null,
    session_id: null,
    properties: {},
    context: {},
  };
}

function message(events: EventRecord[], movedAt?: string): StoredUpdate {
  return {
    message_id: "7-u",
    kind: "user",
    entity: { id: "u" },
    segment_ids: [],
    changes: {
      is_new: false,
      attributes: {},
      segments: { entered: [], left: [] },
      ...(movedAt === undefined ? {} : { moved_at: movedAt }),
    },
    events,
  };
}

const segment = (id: string, name: string) => {
  return { id, name, type: "users_segment" as const, query: {}, created_at: "", updated_at: "" };
};

test("a merge has the brand as its source, also one that was queued before merges had a type", () => {
  const { eventSource } = createBrand("Hull");
  const events = [
    event("User merged", MUSTER_SOURCE, "user_merged"),
    event("User merged", MUSTER_SOURCE, "platform"),
    event("User merged", "crm", "track"),
    event("Imported User", MUSTER_SOURCE, "platform"),
  ];
  const told = toldEvents(message(events), { entered: [], left: [] }, eventSource);
  expect(told.map(({ event_source, event_type }) => [event_source, event_type])).toEqual([
    ["hull", "user_merged"],
    ["hull", "user_merged"],
    ["crm", "track"],
    [MUSTER_SOURCE, "platform"],
  ]);
});

test("the event about segments is left out when the segments do not exist any more", () => {
  const at = "2026-01-01T00:00:00.000Z";
  expect(toldEvents(message([], at), { entered: [], left: [] }, "svc")).toEqual([]);
  expect(toldEvents(message([], at), { entered: [segment("s", "S")], left: [] }, "svc")).toMatchObject([
    { event: "Segments changed", created_at: at, properties: { entered: [{ id: "s", name: "S" }], left: [] } },
  ]);
  expect(toldEvents(message([]), { entered: [segment("s", "S")], left: [] }, "svc")).toEqual([]);
});
