import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../../../../../../testing/seeded-random.js";
import { canMount, openSmallDisk } from "../../../../testing/small-disk.js";
import { Engine } from "./engine.js";
import { OrganizationFiles } from "./organization-files.js";

const ORG = "0190000000000100000000aa";
const OTHER = "0190000000000100000000ab";

let folder: string;
let engine: Engine;
let files: OrganizationFiles;
const opened: string[] = [];
const problems: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-files-"));
  opened.length = 0;
  problems.length = 0;
  await open();
});

afterEach(async () => {
  await close();
  await rm(folder, { recursive: true });
});

async function open({ reservedBytes = 0 } = {}): Promise<void> {
  engine = await Engine.open({
    memoryBytes: 256 * 1024 * 1024,
    threads: 1,
    reservedBytes,
    spillFolder: join(folder, "spill"),
    timeLimitMs: 10_000,
    slowQueryMs: 60_000,
    onSlow() {},
  });
  files = new OrganizationFiles(engine, {
    folder,
    onOpened: (organizationId) => opened.push(organizationId),
    onProblem: (_error, message) => problems.push(message),
  });
}

async function close(): Promise<void> {
  await files.close();
  await engine.close();
}

const progress = { generation: "g", sequence: 7, documents: undefined, documentsUntil: 0, documentCount: 0 };

const fill = () => files.use(ORG, (file) => file.write((tx) => file.saveProgress(tx, progress)));
const read = () => files.use(ORG, async (file) => file.progress);

test("a file is created when it is first used, and onOpened is called once", async () => {
  expect(await files.list()).toEqual([]);
  await Promise.all([read(), read(), read()]);
  expect(await files.list()).toEqual([ORG]);
  expect(opened).toEqual([ORG]);
});

test("data is still there after closing and opening again", async () => {
  await fill();
  await close();
  await open();
  expect(await read()).toEqual(progress);
  expect(problems).toEqual([]);
});

test("a write that fails changes nothing, and the next one works", async () => {
  await fill();
  const failing = files.use(ORG, (file) =>
    file.write(async (tx) => {
      await file.saveProgress(tx, { ...progress, sequence: 8 });
      throw new Error("The disk is full.");
    }),
  );
  await expect(failing).rejects.toThrow("The disk is full.");
  expect(await read()).toEqual(progress);
  await files.use(ORG, (file) => file.write((tx) => file.saveProgress(tx, { ...progress, sequence: 9 })));
  expect((await read()).sequence).toBe(9);
});

test("a reader does not wait for a writer, and reads the data from before the transaction", async () => {
  await fill();
  await files.use(ORG, (file) =>
    file.write(async (tx) => {
      await file.saveProgress(tx, { ...progress, sequence: 8 });
      const rows = await engine.rows({ sql: `select sequence from ${file.databaseName}.progress`, params: {} });
      expect(rows).toEqual([{ sequence: 7n }]);
    }),
  );
});

test("a checkpoint is made although a question runs that began before the last write", async () => {
  await fill();
  const question = await beginQuestion();
  await files.use(ORG, async (file) => {
    await file.write((tx) => file.saveProgress(tx, { ...progress, sequence: 8 }));
    expect(await file.checkpoint({ withVacuum: false })).toBe(true);
    expect([file.isDirty, await file.logBytes()]).toEqual([false, 0]);
  });
  await question.end();
  await close();
  await open();
  expect(await read()).toEqual({ ...progress, sequence: 8 });
});

test("while a question runs that began before a column was added, a checkpoint waits, and that is no problem", async () => {
  await fill();
  const question = await beginQuestion();
  await files.use(ORG, async (file) => {
    await file.addFields("user", new Map([["traits_plan", "string"]]));
    expect(await file.checkpoint({ withVacuum: false })).toBe(false);
    expect(file.isDirty).toBe(true);
    await question.end();
    expect(await file.checkpoint({ withVacuum: false })).toBe(true);
  });
  expect(problems).toEqual([]);
});

test("the progress is one row of the file, however often it is written", async () => {
  for (let sequence = 1; sequence <= 50; sequence++) {
    await files.use(ORG, async (file) => {
      await file.write((tx) => file.saveProgress(tx, { ...progress, sequence }));
      if (sequence % 10 === 0) await file.checkpoint({ withVacuum: false });
    });
  }
  const rows = await files.use(ORG, ({ databaseName }) =>
    engine.rows({ sql: `select sequence, rowid < 10 as is_near from ${databaseName}.progress`, params: {} }),
  );
  expect(rows).toEqual([{ sequence: 50n, is_near: true }]);
});

/** Begins to read the file, and keeps what it reads until `end`. */
async function beginQuestion(): Promise<{ end(): Promise<void> }> {
  const connection = await engine.connect();
  await files.use(ORG, ({ databaseName }) =>
    connection.run(`begin; select count(*) from ${databaseName}.progress`).then(() => undefined),
  );
  return {
    end: async () => {
      await connection.run("rollback");
      connection.closeSync();
    },
  };
}

test.for<[string, (path: string) => Promise<void>]>([
  ["garbage", (path) => writeFile(path, seededRandom("garbage").bytes(50_000))],
  ["an empty text", (path) => writeFile(path, "not a database")],
  [
    "of another version",
    async (path) => {
      const other = await Engine.open({ ...LIMITS, spillFolder: join(folder, "spill") });
      await other.run(`attach '${path}' as it`);
      await other.run("update it.progress set version = 0");
      await other.run("detach it");
      await other.close();
    },
  ],
])("a file that is %s is renamed and replaced by an empty one", async ([, damage]) => {
  await fill();
  await close();
  await damage(join(folder, `${ORG}.duckdb`));
  await open();
  expect((await read()).generation).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining("set aside")]);
  expect((await readdir(folder)).filter((name) => name.endsWith(".unreadable"))).toHaveLength(1);
  await fill();
  expect(await read()).toEqual(progress);
});

test.for<[string, (log: Buffer) => Buffer]>([
  ["in the middle", (log) => flip(log, log.length / 2)],
  // The type of an entry: DuckDB takes this for a bug of its own and invalidates the whole instance.
  ["at its beginning", (log) => flip(log, 2)],
  ["after its first entry", (log) => log.fill(0, 100, 400)],
])("a write-ahead log that is damaged %s is set aside with its file, and other files stay open", async ([, damage]) => {
  const path = join(folder, `${ORG}.duckdb`);
  await fill();
  await files.use(ORG, (file) => file.checkpoint({ withVacuum: false }));
  for (let sequence = 8; sequence < 20; sequence++) {
    await files.use(ORG, (file) => file.write((tx) => file.saveProgress(tx, { ...progress, sequence })));
  }
  // The files as a process that is killed leaves them.
  const [data, log] = [await readFile(path), await readFile(`${path}.wal`)];
  await close();
  await writeFile(path, data);
  await writeFile(`${path}.wal`, damage(log));
  await open();
  await files.use(OTHER, (file) => file.write((tx) => file.saveProgress(tx, progress)));
  expect((await read()).generation).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining("set aside")]);
  expect((await readdir(folder)).filter((name) => name.includes(".unreadable"))).toHaveLength(2);
  await fill();
  expect(await read()).toEqual(progress);
  expect(await files.use(OTHER, async (file) => file.progress)).toEqual(progress);
});

test("a write-ahead log that is whole is replayed", async () => {
  const path = join(folder, `${ORG}.duckdb`);
  await fill();
  await files.use(ORG, (file) => file.checkpoint({ withVacuum: false }));
  await files.use(ORG, (file) => file.write((tx) => file.saveProgress(tx, { ...progress, sequence: 8 })));
  const [data, log] = [await readFile(path), await readFile(`${path}.wal`)];
  await close();
  await writeFile(path, data);
  await writeFile(`${path}.wal`, log);
  await open();
  expect((await read()).sequence).toBe(8);
  expect(problems).toEqual([]);
});

function flip(log: Buffer, place: number): Buffer {
  const at = Math.floor(place);
  log[at] = log[at]! ^ 0xff;
  return log;
}

const LIMITS = {
  reservedBytes: 0,
  memoryBytes: 256 * 1024 * 1024,
  threads: 1,
  timeLimitMs: 10_000,
  slowQueryMs: 60_000,
  onSlow() {},
};

test("a file that another process has open is not set aside, and is used when the other has ended", async () => {
  await fill();
  await close();
  const path = join(folder, `${ORG}.duckdb`);
  const script = `import("@duckdb/node-api").then(async ({ DuckDBInstance }) => {
    globalThis.kept = await DuckDBInstance.create(${JSON.stringify(path)});
    process.stdin.resume();
    console.log("open");
  })`;
  const other = spawn(process.execPath, ["-e", script], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(other, "exit");
  await once(other.stdout, "data");
  await open();
  await expect(read()).rejects.toMatchObject({ name: "Refusal", code: "unavailable" });
  expect(problems).toEqual([]);
  other.kill();
  await exited;
  expect(await read()).toEqual(progress);
});

test("on a disk that is nearly full nothing is written, and everything can be read", async () => {
  await fill();
  await close();
  await open({ reservedBytes: Number.MAX_SAFE_INTEGER });
  await expect(fill()).rejects.toMatchObject({ name: "Refusal", code: "unavailable" });
  expect(await read()).toEqual(progress);
  await engine.limitSpill();
  const limit = "select current_setting('max_temp_directory_size') as size";
  expect(await engine.rows({ sql: limit, params: {} })).toEqual([{ size: "0 bytes" }]);
});

test("a file is not rewritten when the disk has no room for a copy, and can still be read and rewritten later", async () => {
  await fill();
  await close();
  await open({ reservedBytes: Number.MAX_SAFE_INTEGER });
  await expect(files.compact(ORG)).rejects.toMatchObject({ name: "Refusal", code: "unavailable" });
  expect(await read()).toEqual(progress);
  await close();
  await open();
  await files.compact(ORG);
  expect(await read()).toEqual(progress);
  expect((await readdir(folder)).filter((name) => name.includes(".copy"))).toEqual([]);
});

test.runIf(canMount)("a full disk costs no file, and all goes on when there is space again", async () => {
  const disk = await openSmallDisk(24 * 1024 * 1024);
  await close();
  await rm(folder, { recursive: true });
  folder = join(disk.path, "questions");
  try {
    await open();
    await fill();
    disk.fill(0);
    const checkpoint = () => files.use(ORG, (file) => file.checkpoint({ withVacuum: false }));
    await expect(checkpoint()).rejects.toMatchObject({ name: "Refusal", code: "unavailable" });
    expect(await read()).toEqual(progress);
    await expect(files.use(OTHER, async () => {})).rejects.toMatchObject({ code: "unavailable" });

    await disk.empty();
    await checkpoint();
    await close();
    await open();
    expect(await read()).toEqual(progress);
    expect(await files.use(OTHER, async (file) => file.progress.generation)).toBeUndefined();
    expect((await readdir(folder)).filter((name) => name.endsWith(".unreadable"))).toEqual([]);
  } finally {
    await close();
    await disk.close();
    folder = await mkdtemp(join(tmpdir(), "muster-files-"));
    await open();
  }
});

test("removing a file waits for its users, and the next user gets an empty one", async () => {
  await fill();
  let isRead = false;
  const reading = files.use(ORG, async (file) => {
    await engine.rows({ sql: `select count(*) from range(20000000), ${file.databaseName}.progress`, params: {} });
    isRead = true;
  });
  const removed = files.remove(ORG).then(() => expect(isRead).toBe(true));
  const next = files.use(ORG, async (file) => file.progress.generation);
  await Promise.all([reading, removed]);
  expect(await next).toBeUndefined();
});

test("each organization has a separate file", async () => {
  await fill();
  expect(await files.use(OTHER, async (file) => file.progress.generation)).toBeUndefined();
  await files.remove(OTHER);
  expect(await read()).toEqual(progress);
});

test("a segment that got its number in a failed write gets a number again", async () => {
  await fill();
  const segment = "01900000000020000000000a";
  const number = (isFailing: boolean) =>
    files.use(ORG, (file) =>
      file.write(async (tx) => {
        await file.numberSegment(tx, segment);
        if (isFailing) throw new Error("The disk is full.");
      }),
    );
  await expect(number(true)).rejects.toThrow("The disk is full.");
  expect(await files.use(ORG, async (file) => file.segmentNumber(segment))).toBeUndefined();
  await number(false);
  const stored = await files.use(ORG, ({ databaseName }) =>
    engine.rows({ sql: `select number, id from ${databaseName}.segments`, params: {} }),
  );
  expect(stored).toEqual([{ number: 0, id: segment }]);
});

test("a folder that does not exist has no files, and one that cannot be read is an error", async () => {
  const filesIn = (place: string) =>
    new OrganizationFiles(engine, { folder: place, onOpened: () => {}, onProblem: () => {} });
  const missing = filesIn(join(folder, "missing"));
  expect(await missing.list()).toEqual([]);
  await writeFile(join(folder, "file"), "");
  const unreadable = filesIn(join(folder, "file"));
  await expect(unreadable.list()).rejects.toThrow("ENOTDIR");
  await Promise.all([missing.close(), unreadable.close()]);
});

test("a file that several callers want to rewrite at the same time is rewritten by one after the other", async () => {
  await fill();
  const { giveBack } = await files.take(ORG);
  const rewriting = Promise.allSettled([
    files.compact(ORG),
    files.compact(ORG),
    files.compact(ORG),
    files.compact(ORG),
  ]);
  // Until the first one waits for the file and the others for the first one.
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  giveBack();
  expect((await rewriting).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "fulfilled"));
  expect(await read()).toMatchObject(progress);
  expect(problems).toEqual([]);
});
