import { expect, test } from "vitest";
import { NO_CHANGE } from "../../../domain/changes/change-set.js";
import { pack } from "../../logs/packing.js";
import { unpackChange } from "./unpack-change.js";

const move = { segmentId: "s", segmentName: "Buyers", entered: ["u"], left: [] };

test("a change is read back as it was written", () => {
  const change = { ...NO_CHANGE, evaluation: { at: "2026-01-01", moves: [{ ...move, subjectType: "user" as const }] } };
  expect(unpackChange(pack(change))).toEqual(change);
  expect(unpackChange(pack(NO_CHANGE))).toEqual(NO_CHANGE);
});

test("an evaluation that an earlier version wrote with `entity` has a subject type", () => {
  const stored = { ...NO_CHANGE, evaluation: { at: "2026-01-01", cause: 7, moves: [{ ...move, entity: "account" }] } };
  expect(unpackChange(pack(stored)).evaluation).toEqual({
    at: "2026-01-01",
    cause: 7,
    moves: [{ ...move, subjectType: "account" }],
  });
});
