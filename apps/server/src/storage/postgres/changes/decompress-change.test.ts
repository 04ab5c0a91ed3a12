import { expect, test } from "vitest";
import { NO_CHANGE } from "../../../domain/changes/change-set.js";
import { compress } from "../../logs/compression.js";
import { decompressChange } from "./decompress-change.js";

const move = { segmentId: "s", segmentName: "Buyers", entered: ["u"], left: [] };

test("a change is read back as it was written", () => {
  const change = { ...NO_CHANGE, evaluation: { at: "2026-01-01", moves: [{ ...move, subjectType: "user" as const }] } };
  expect(decompressChange(compress(change))).toEqual(change);
  expect(decompressChange(compress(NO_CHANGE))).toEqual(NO_CHANGE);
});

test("an evaluation that an earlier version wrote with `entity` has a subject type", () => {
  const stored = { ...NO_CHANGE, evaluation: { at: "2026-01-01", cause: 7, moves: [{ ...move, entity: "account" }] } };
  expect(decompressChange(compress(stored)).evaluation).toEqual({
    at: "2026-01-01",
    cause: 7,
    moves: [{ ...move, subjectType: "account" }],
  });
});
