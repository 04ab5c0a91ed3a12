import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { logCalls } from "./log-calls.js";

const page = await readFile(new URL("../../docs/operations/log-events.md", import.meta.url), "utf8");
const LEVELS: Record<string, string> = { Errors: "error", Warnings: "warn", Information: "info" };

/** The rows of the three tables. */
const rows = page.split(/^## /m).flatMap((section) => {
  const [title = ""] = section.split("\n");
  return [...section.matchAll(/^\| `(.+?)` \| (.*?) \| (.+?) \| (.+?) \|$/gm)].map(
    ([, message = "", fields = "", meaning = "", advice = ""]) => ({
      message,
      level: LEVELS[title],
      fields: [...fields.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field),
      meaning,
      advice,
    }),
  );
});

test("the page about log events has every message of the server with its level and fields", () => {
  const calls = logCalls();
  expect(calls.length).toBeGreaterThan(60);
  const missing = calls.filter(
    ({ message, level, fields }) =>
      !rows.some(
        (row) => row.message === message && row.level === level && fields.every((field) => row.fields.includes(field)),
      ),
  );
  expect(missing).toEqual([]);
});

test("the page has no message that the server does not log, and says what to do about each", () => {
  const known = new Set(logCalls().map(({ message, level }) => `${level} ${message}`));
  expect(rows.filter(({ level, message }) => !known.has(`${level} ${message}`))).toEqual([]);
  expect(rows.filter(({ meaning, advice }) => meaning.trim() === "" || advice.trim() === "")).toEqual([]);
});
