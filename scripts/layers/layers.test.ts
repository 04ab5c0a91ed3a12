import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findBreaks } from "./find-breaks.js";
import { AREAS } from "./layers.js";
import { importsIn, readImports } from "./read-imports.js";

const SERVER = "apps/server/src";

test("the imports of this repository follow the order of the folders", () => {
  const imports = readImports(fileURLToPath(new URL("../..", import.meta.url)));
  expect(imports.length).toBeGreaterThan(5_000);
  expect(findBreaks(imports, AREAS)).toEqual([]);
});

/** What is found when a file has this text, and the files that it imports exist. */
function breaksIn(file: string, text: string): string[] {
  return findBreaks(importsIn(file, text, new Set()), AREAS);
}

describe("a planted import is refused", () => {
  test.each([
    ["up the order", "jobs/a.ts", 'import { b } from "../http/b.js";', "jobs may not import http"],
    [
      "of a type, up the order",
      "domain/x/a.ts",
      'import type { B } from "../../storage/b.js";',
      "domain may not import",
    ],
    ["by a re-export", "runtime/a.ts", 'export { b } from "../outbound/b.js";', "runtime may not import outbound"],
    ["in the code", "deliveries/a.ts", 'await import("../pipeline/b.js");', "deliveries may not import pipeline"],
    ["of a type in a type", "members/a.ts", 'type B = import("../connectors/b.js").B;', "members may not import"],
    ["of storage in a route", "http/a.ts", 'import type { B } from "../storage/b.js";', "A route calls a service."],
    ["of a rule in storage", "storage/a.ts", 'import { type A, b } from "../domain/b.js";', "not call its rules"],
    ["of the runtime in the domain", "domain/x/a.ts", 'import "../../runtime/b.js";', "The domain holds rules."],
    ["of the domain in the runtime", "runtime/a.ts", 'import "../domain/b.js";', "It uses none of them."],
    ["of a file system", "domain/x/a.ts", 'import { open } from "node:fs/promises";', "no input or output"],
    ["of a database", "domain/x/a.ts", 'import type { Pool } from "pg";', "no input or output"],
    ["of a helper of tests", "audience/a.ts", 'import "../testing/b.js";', "testing is outside the order"],
    ["of a program", "audience/a.ts", 'import "../main.js";', "audience may not import main.js"],
    ["from a new folder", "novelties/a.ts", 'import "node:path";', "has no place in scripts/layers/layers.js"],
    [
      "from NATS to PostgreSQL",
      "storage/ingest-log/nats/a.ts",
      'import type { B } from "../../postgres/b.js";',
      "The log in NATS knows the port.",
    ],
  ])("%s", (_what, file, text, reason) => {
    const [first, ...others] = breaksIn(`${SERVER}/${file}`, text);
    expect(first).toContain(`${SERVER}/${file}`);
    expect(first).toContain(reason);
    expect(others).toEqual([]);
  });

  test.each([
    ["ui/a.tsx", 'import { B } from "../screens/home/b.js";', "ui may not import screens"],
    ["api/a.ts", 'import type { B } from "../ui/b.js";', "api may not import ui"],
    ["screens/home/x/a.tsx", 'import { B } from "../../lists/b.js";', "folders in screens do not import each other"],
  ])("in the dashboard: %s", (file, text, reason) => {
    expect(breaksIn(`apps/dashboard/src/${file}`, text)).toEqual([expect.stringContaining(reason)]);
  });

  test("between packages, by name and by path", () => {
    expect(breaksIn("packages/query/src/a.ts", 'import { b } from "@muster/client";')).toEqual([
      expect.stringContaining("packages/query may not import packages/client"),
    ]);
    expect(breaksIn("packages/protocol/src/a.ts", 'import "../../../apps/server/src/domain/b.js";')).toEqual([
      expect.stringContaining("packages/protocol may not import apps/server"),
    ]);
  });

  test("between folders that import each other, also by way of a third", () => {
    const imports = ["entries/a.ts>identity/b.ts", "identity/c.ts>profiles/d.ts", "profiles/e.ts>entries/f.ts"].map(
      (given) => {
        const [from = "", to = ""] = given.split(">").map((file) => `${SERVER}/domain/${file}`);
        return { from, to, isPackage: false, isType: true };
      },
    );
    expect(findBreaks(imports.slice(0, 2), AREAS)).toEqual([]);
    const [found] = findBreaks(imports, AREAS);
    expect(found).toContain(`${SERVER}/domain: entries → identity → profiles → entries.`);
    expect(found).toContain(`${SERVER}/domain/profiles/e.ts imports ${SERVER}/domain/entries/f.ts (one of 1)`);
  });
});

test.each([
  ["down the order", `${SERVER}/http/a.ts`, 'import { b } from "../audience/b.js";'],
  ["on the same level", `${SERVER}/audience/a.ts`, 'import { b } from "../members/b.js";'],
  ["of types of the domain in storage", `${SERVER}/storage/a.ts`, 'import { type B } from "../domain/b.js";'],
  ["of what a folder has itself", "apps/dashboard/src/screens/home/a.tsx", 'import { b } from "./parts/b.js";'],
  ["of a package below", `${SERVER}/domain/x/a.ts`, 'import { b } from "@muster/protocol";'],
  ["of anything by a program", `${SERVER}/main.ts`, 'import { b } from "./storage/b.js";'],
])("an import %s is allowed", (_what, file, text) => {
  expect(breaksIn(file, text)).toEqual([]);
});
