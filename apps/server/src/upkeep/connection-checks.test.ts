import { expect, test } from "vitest";
import { judgeConnections } from "./connection-checks.js";

test("a process with connections and descriptors left is good, and says how many there are", () => {
  expect(judgeConnections({ open: 12, most: 50_000, refused: 0 }, { open: 90, limit: 1_048_576 })).toEqual({
    name: "Connections",
    status: "good",
    message: "Clients have 12 of 50,000 connections open. 90 of 1,048,576 descriptors are open.",
    advice: "",
  });
});

test("a process that runs out of connections says so, with what to do", () => {
  expect(judgeConnections({ open: 850, most: 1_000, refused: 3 }, { open: 900, limit: 2_000 })).toMatchObject({
    status: "late",
    message:
      "Clients have 850 of 1,000 connections open. 3 were closed at once since the start. 900 of 2,000 descriptors are open.",
    advice: expect.stringContaining("LimitNOFILE"),
  });
});

test("a process that runs out of descriptors says so, and one of a system that does not count them does not", () => {
  expect(judgeConnections({ open: 1, most: 1_000, refused: 0 }, { open: 1_800, limit: 2_000 }).status).toBe("late");
  expect(judgeConnections({ open: 1, most: 1_000, refused: 0 }, { open: undefined, limit: undefined })).toMatchObject({
    status: "good",
    message: "Clients have 1 of 1,000 connections open.",
  });
});
