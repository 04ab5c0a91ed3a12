import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

test("docs/retention.md says of every table how long its rows are kept, and of no table that is gone", async () => {
  const page = await read("docs/retention.md");
  const tables = [...(await read("apps/server/schema.sql")).matchAll(/^create table (\w+)/gm)].map(([, name]) => name);
  expect(tables.length).toBeGreaterThan(50);
  expect(tables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const named = [...page.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name);
  const others = ["is_admin"];
  expect(named.filter((name = "") => !tables.includes(name) && !others.includes(name))).toEqual([]);
});

test("every setting that the page names exists", async () => {
  const settings = await read("docs/settings.md");
  const named = [...(await read("docs/retention.md")).matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name);
  expect(named.filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([]);
});
