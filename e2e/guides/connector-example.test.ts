import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MUSTER } from "../support/muster-process.js";
import { REPOSITORY, readPage } from "./kit/guide-pages.js";
import { readBlocks } from "./kit/read-blocks.js";

const EXAMPLE = join(REPOSITORY, "examples/connector");

/** The files in a folder with their texts, by their paths in it. */
function filesIn(folder: string): Map<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(found.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

test("the tutorial ends with the connector of examples/connector", () => {
  const parent = mkdtempSync(join(tmpdir(), "muster-example-"));
  try {
    execFileSync(process.execPath, [MUSTER, "connector", "new", "crm", "--url", "http://127.0.0.1:8080"], {
      cwd: parent,
    });
    const made = filesIn(join(parent, "crm"));
    const { blocks } = readBlocks("writing.md", readPage("docs/connectors/writing.md"));
    for (const { kind, name, text } of blocks) {
      if (kind === "file" && name.startsWith("crm/")) made.set(name.slice("crm/".length), text);
    }
    const example = filesIn(EXAMPLE);
    // The tutorial copies the CRM from the example, and the example has a readme of its own.
    for (const name of ["crm.js", "README.md"]) made.set(name, example.get(name) ?? "");
    expect(Object.fromEntries(made)).toEqual(Object.fromEntries(example));
  } finally {
    rmSync(parent, { recursive: true });
  }
});
