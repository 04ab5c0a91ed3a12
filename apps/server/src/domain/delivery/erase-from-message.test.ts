import { expect, test } from "vitest";
import { eraseFromMessage, subjectsOfMessage } from "./erase-from-message.js";
import { type StoredUpdate, type UserAccount, withState } from "./message.js";

function message(account: Partial<UserAccount>): StoredUpdate {
  const segments = { entered: [], left: [] };
  return {
    message_id: "1-user",
    kind: "user",
    entity: { id: "user" },
    segment_ids: [],
    changes: { is_new: false, attributes: {}, segments },
    events: [],
    account: { entity: { id: "new" }, segment_ids: [], attributes: {}, segments, ...account },
  };
}

test("of the difference to an account that was erased, only the id is told", () => {
  const moved = message({ attributes: { id: ["old", "new"], name: ["Old", "New"] } });
  expect(subjectsOfMessage(moved)).toEqual(["user", "new", "old"]);
  expect(eraseFromMessage(moved, new Set(["old"]))).toMatchObject({
    account: { entity: { id: "new" }, attributes: { id: ["old", "new"] } },
  });
  expect(JSON.stringify(eraseFromMessage(moved, new Set(["old"])))).not.toContain("Old");
  expect(eraseFromMessage(moved, new Set(["new"]))).not.toHaveProperty("account");
  expect(eraseFromMessage(moved, new Set(["other"]))).toBe(moved);
});

test("a message that is sent again keeps the changes of the account that the user still has", () => {
  const told = message({ attributes: { id: ["old", "new"], name: ["Old", "New"] } });
  const state = (id: string) => ({ report: { id }, segmentIds: [] });
  expect(withState(told, state("user"), state("new")).account).toMatchObject({
    entity: { id: "new" },
    attributes: { id: ["old", "new"], name: ["Old", "New"] },
  });
  expect(withState(told, state("user"), state("newest")).account).toMatchObject({
    entity: { id: "newest" },
    attributes: { id: ["old", "new"] },
  });
  expect(withState(told, state("user"), undefined).account).toMatchObject({
    entity: {},
    attributes: { id: ["old", "new"] },
  });
});
