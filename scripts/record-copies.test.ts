import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { copiesIn, recordsIn, type Shape } from "./record-copies.js";

const repository = fileURLToPath(new URL("../", import.meta.url));
const RECORDS = "packages/protocol/src/api/";
const FOLDERS = ["apps", "packages", "connector-apps", "bench"];

/** Sources that people write, without tests: these write down what they expect of an answer. */
async function listSources(): Promise<string[]> {
  const listed = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(`${repository}${folder}`, { recursive: true })).map((file) => `${folder}/${file}`),
    ),
  );
  return listed
    .flat()
    .filter(
      (file) => /\/src\/.*\.tsx?$/.test(file) && !/\/(node_modules|dist)\/|\.(test|installed)\.|\.d\.ts$/.test(file),
    );
}

async function readRecords(sources: readonly string[]): Promise<Shape[]> {
  const files = sources.filter((file) => file.startsWith(RECORDS));
  return (await Promise.all(files.map(async (file) => recordsIn(file, await read(file))))).flat();
}

function read(file: string): Promise<string> {
  return readFile(`${repository}${file}`, "utf8");
}

/** Shapes that are like a record and are something else, each with its reason. */
const OTHERS: Readonly<Record<string, string>> = {
  "packages/browser/src/page-config.ts PageConfig":
    "What a page may have cached from an older server, which answered with less. The library has no dependencies.",
  "packages/protocol/src/notification.ts MessageReport":
    "The libraries promise it to those who install them, and have no dependencies. The schema's type would bring the schema library.",
  "packages/protocol/src/manifest/read-manifest.ts DeclaredPage":
    "A page as a manifest declares it: its address is a path, and what it leaves out is undefined.",
  "packages/query/src/predicate/predicate.ts EventPredicate":
    "What the parser has checked. On the wire a predicate is any JSON object.",
};

/** Rows of the database look like the records that are made of them, but their times are dates. */
function isRow({ file, name }: Shape): boolean {
  return file.startsWith("apps/server/src/storage/postgres/") && name.endsWith("Row");
}

const sources = await listSources();
const records = await readRecords(sources);

test("the shape of a record of the API stands once: import its type instead", async () => {
  expect(records.length).toBeGreaterThan(30);
  const others = sources.filter((file) => !file.startsWith(RECORDS));
  const copies = (await Promise.all(others.map(async (file) => copiesIn(file, await read(file), records)))).flat();
  const messages = copies
    .filter(({ copy }) => !isRow(copy) && !Object.hasOwn(OTHERS, `${copy.file} ${copy.name}`))
    .map(({ copy, record }) => {
      const module = record.file.slice(RECORDS.length).replace(/\.ts$/, "");
      return `${copy.file}:${copy.line} ${copy.name || "a type"} has the shape of ${record.name}: import type { ${record.name} } from "@muster/protocol/api/${module}"`;
    });
  expect(messages).toEqual([]);
});

test("every exception is still there", async () => {
  const found = await Promise.all(
    Object.keys(OTHERS).map(async (key) => {
      const [file = "", name] = key.split(" ");
      return copiesIn(file, await read(file), records).some(({ copy }) => copy.name === name);
    }),
  );
  expect(found).not.toContain(false);
});

const COPY = `
  id: string; type: string; object: string; status: string; name: string; description: string;
  progress: { processed: number }; result: object | null; error: string | null; download_url?: string;
  expires_at?: string; rejected_url?: string; refused_rows_url?: string; callback?: object;
  scheduled_at: string; created_at: string; started_at: string | null; finished_at: string | null`;
const SCHEMA = COPY.replaceAll(/(\w+)\??: [^;]+/g, "$1: Type.String()").replaceAll(";", ",");

test.each([
  ["an interface", `interface SixthJob {${COPY} }`],
  ["a type", `export type SixthJob = {${COPY} };`],
  ["a schema", `const SixthJob = Type.Object({${SCHEMA} });`],
])("a copy of a job is found: %s", (_what, source) => {
  const [found] = copiesIn("planted.ts", source, records);
  expect([found?.copy.name, found?.record.name]).toEqual(["SixthJob", "Job"]);
});

test("a shape with other names is no copy", () => {
  const source = "interface Other { id: string; organizationId: string; dueAt: Date; attempts: number; file: string }";
  expect(copiesIn("other.ts", source, records)).toEqual([]);
});
