import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Build, REPOSITORY } from "./freshness.js";
import { COMMAND, SERVER } from "./programs.js";
import { runBuild, staleOf } from "./run-builds.js";
import { sourceFiles } from "./source-files.js";

let folder: string;
let build: Build;
/** What a build does while it runs. */
let meanwhile: () => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-builds-"));
  mkdirSync(join(folder, "src/inner"), { recursive: true });
  write("src/a.ts", "one");
  write("src/inner/b.ts", "two");
  meanwhile = () => {};
  build = {
    name: basename(folder),
    title: "a test",
    sources: () => sourceFiles(relative(REPOSITORY, join(folder, "src"))),
    outputs: [relative(REPOSITORY, join(folder, "output"))],
    async run() {
      meanwhile();
      write("output", String(performance.now()));
    },
  };
  await runBuild(build);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  rmSync(join(REPOSITORY, ".cache/builds", build.name), { force: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

const isStale = () => staleOf([build]).length > 0;

test("what was built is not built again while nothing has changed, a test of it aside", () => {
  write("src/a.test.ts", "a test");
  expect(isStale()).toBe(false);
});

test.each<[string, () => void]>([
  ["was changed", () => write("src/inner/b.ts", "three")],
  ["was touched", () => utimesSync(join(folder, "src/a.ts"), 2_000_000_000, 2_000_000_000)],
  ["was deleted", () => rmSync(join(folder, "src/a.ts"))],
  ["is new", () => write("src/c.ts", "")],
  ["has another name", () => renameSync(join(folder, "src/a.ts"), join(folder, "src/c.ts"))],
  [
    "was replaced by an older one, as a copy of another branch does it",
    () => {
      write("src/a.ts", "old");
      utimesSync(join(folder, "src/a.ts"), 1_000_000_000, 1_000_000_000);
    },
  ],
])("it is built once more when a source %s", async (_what, change) => {
  change();
  expect(isStale()).toBe(true);
  await runBuild(build);
  expect(isStale()).toBe(false);
});

test("it is built again when its output is missing, or was left by a build that was killed", () => {
  write("output", "half");
  expect(isStale()).toBe(true);
  rmSync(join(folder, "output"));
  expect(isStale()).toBe(true);
});

test("a source that changes while it is built makes it stale", async () => {
  write("src/a.ts", "changed");
  meanwhile = () => write("src/inner/b.ts", "changed during the build");
  await runBuild(build);
  expect(isStale()).toBe(true);
});

test.each([
  ["server", SERVER, "apps/server/bundle"],
  ["command", COMMAND, "packages/cli/bundle"],
])("every file of ours in the bundle of the %s is one of the sources that are watched", (_name, program, bundle) => {
  const watched = new Set(program.sources());
  const contained = mapsBelow(join(REPOSITORY, bundle))
    .flatMap((map) => {
      const { sources } = JSON.parse(readFileSync(map, "utf8")) as { sources: string[] };
      return sources.map((source) => relative(REPOSITORY, resolve(dirname(map), source)));
    })
    .filter((source) => !source.includes("node_modules/") && /\.[jt]s$/.test(source));
  expect(contained).toContain(`${dirname(bundle)}/src/main.ts`);
  expect(contained.filter((source) => !watched.has(source))).toEqual([]);
});

function mapsBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".map"))
    .map((name) => join(path, name));
}
