import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AttributeChanges } from "../changes/change-set.js";
import { combineUpdates } from "./combine-updates.js";
import type { StoredUpdate } from "./message.js";

let made = 0;

function update(parts: Partial<StoredUpdate["changes"]> = {}, more: Partial<StoredUpdate> = {}): StoredUpdate {
  made += 1;
  return {
    message_id: `m${made}`,
    kind: "user",
    entity: { id: "u" },
    segment_ids: [],
    events: [],
    ...more,
    changes: { is_new: false, attributes: {}, segments: { entered: [], left: [] }, ...parts },
  };
}

const event = (name: string) => ({ event: name, event_id: name }) as NonNullable<StoredUpdate["events"]>[number];

test("has the latest state and the id of the last message, and is about a new user if one of them is", () => {
  const first = update({ is_new: true }, { entity: { id: "u", plan: "a" }, segment_ids: ["s1"] });
  const last = update({}, { entity: { id: "u", plan: "b" }, segment_ids: ["s2"] });
  expect(combineUpdates(first, last)).toMatchObject({
    message_id: last.message_id,
    entity: { plan: "b" },
    segment_ids: ["s2"],
    changes: { is_new: true },
  });
});

test("has all events in their order", () => {
  const parts = ["a", "b", "c"].map((name) => update({}, { events: [event(name)] }));
  const { events } = combineUpdates(parts[0]!, ...parts.slice(1));
  expect(events?.map(({ event: name }) => name)).toEqual(["a", "b", "c"]);
});

test("has the last time at which segments were entered or left, and none when they were not", () => {
  const moves = (entered: string[], left: string[], at: string) =>
    update({ segments: { entered, left }, moved_at: at });
  const { changes } = combineUpdates(
    moves(["s1", "s2"], [], "2020-01-01"),
    update(),
    moves(["s3"], ["s1"], "2020-01-02"),
  );
  expect(changes).toMatchObject({ segments: { entered: ["s2", "s3"], left: [] }, moved_at: "2020-01-02" });
  expect(combineUpdates(update(), update()).changes).not.toHaveProperty("moved_at");
});

describe("the account of a user", () => {
  const account = (entity: Record<string, string>, attributes: AttributeChanges) => ({
    account: { entity, segment_ids: ["as"], attributes, segments: { entered: [], left: [] } },
  });

  test("is the latest one, with the changes since the first message", () => {
    const linked = update({}, account({ id: "a1", name: "One" }, { id: [null, "a1"], name: [null, "One"] }));
    const moved = update({}, account({ id: "a2", name: "Two" }, { id: ["a1", "a2"], name: ["One", "Two"] }));
    expect(combineUpdates(update(), linked, moved).account).toMatchObject({
      entity: { id: "a2" },
      attributes: { id: [null, "a2"], name: [null, "Two"] },
    });
  });

  test("is none when it was unlinked, and nothing has changed since", () => {
    const unlinked = update({}, account({}, { id: ["a1", null] }));
    expect(combineUpdates(unlinked, update()).account).toMatchObject({ entity: {}, attributes: { id: ["a1", null] } });
    expect(combineUpdates(update(), update())).not.toHaveProperty("account");
  });
});

test("whoever applies the combined changes knows what somebody knows who applies each", () => {
  const names = fc.constantFrom("plan", "size", "city");
  const value = fc.constantFrom(null, "a", "b", 1, true);
  const writes = fc.array(fc.dictionary(names, value), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.dictionary(names, value), writes, (start, all) => {
      const state: Record<string, unknown> = { ...start };
      const parts = all.map((write) => {
        const attributes: AttributeChanges = {};
        for (const [name, to] of Object.entries(write)) {
          const from = (state[name] ?? null) as string | null;
          if (from !== to) attributes[name] = [from, to];
          state[name] = to;
        }
        return update({ attributes });
      });
      const { attributes } = combineUpdates(parts[0]!, ...parts.slice(1)).changes;
      const applied: Record<string, unknown> = { ...start };
      for (const [name, [from, to]] of Object.entries(attributes)) {
        expect(from).toBe(start[name] ?? null);
        applied[name] = to;
      }
      for (const name of Object.keys(state)) expect(applied[name] ?? null).toBe(state[name] ?? null);
    }),
  );
});
