import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SOURCES = fileURLToPath(new URL("../apps/dashboard/src/", import.meta.url));
const MANTINE = dirname(createRequire(SOURCES).resolve("@mantine/core/styles.css"));

const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(tsx|css)$/.test(name))
  .map((name) => readFileSync(join(SOURCES, name), "utf8"))
  .join("\n");

it("loads the styles of every Mantine component that the dashboard uses", () => {
  const loaded = new Set([...sources.matchAll(/@mantine\/core\/styles\/(\w+)\.css/g)].map(([, name]) => name));
  const missing = new Set<string>();
  for (const file of filesBehind(importedNames().flatMap(fileOf))) {
    const name = /([A-Za-z]+)\.module\.mjs$/.exec(file)?.[1];
    if (name && !loaded.has(name)) missing.add(name);
  }
  expect([...missing]).toEqual([]);
});

function importedNames(): string[] {
  const imports = [...sources.matchAll(/import \{([^}]*)\} from "@mantine\/core"/g), [undefined, "Notification"]];
  const names = imports.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim().split(" as ")[0] ?? ""));
  return [...new Set(names.filter((name) => name !== "" && !name.startsWith("type ")))];
}

/** The file of a component. What is no component, such as a hook, has no file of this name. */
function fileOf(name: string): string[] {
  const file = join(MANTINE, "esm/components", name, `${name}.mjs`);
  return existsSync(file) ? [file] : [];
}

/** The files and all files of the package that they import. */
function filesBehind(files: readonly string[]): Set<string> {
  const found = new Set(files);
  for (const file of found) {
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)"/g)) {
      found.add(join(dirname(file), path));
    }
  }
  return found;
}
