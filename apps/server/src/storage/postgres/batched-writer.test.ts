import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { NAUGHTY_STRINGS } from "../../testing/naughty-strings.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { BatchedWriter } from "./batched-writer.js";
import { type Database, openDatabase } from "./database.js";

interface Note {
  organizationId: string;
  id: number;
  text: string;
  data: unknown;
}

let database: Database;
beforeAll(async () => {
  const url = await createTestDatabase();
  database = openDatabase({ url, slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} });
  await database.query(
    "create table notes (organization text not null, id smallint not null, text text not null, data json not null)",
  );
});
afterAll(() => database.close());
beforeEach(() => database.query("truncate notes"));

function openWriter() {
  const onError = vi.fn<(error: unknown, lostRows: number, organizationIds: string[]) => void>();
  const writer = new BatchedWriter<Note>({
    database,
    table: "notes",
    columns: {
      organization: ["text", ({ organizationId }) => organizationId],
      id: ["smallint", ({ id }) => id],
      text: ["text", ({ text }) => text],
      data: ["json", ({ data }) => JSON.stringify(data)],
    },
    onError,
  });
  const lostRows = () => onError.mock.calls.reduce((sum, [, lost]) => sum + lost, 0);
  return { writer, onError, lostRows };
}

function notes(count: number, text = "note", organizationId = "acme"): Note[] {
  return Array.from({ length: count }, (_, id) => ({ organizationId, id: id % 30_000, text, data: {} }));
}

async function stored(): Promise<Note[]> {
  const sql = 'select organization as "organizationId", id, text, data from notes order by ctid';
  return (await database.query<Note>(sql)).rows;
}

/** How many rows of each organization are stored. */
async function storedByOrganization(): Promise<Record<string, number>> {
  const { rows } = await database.query<{ organization: string; count: number }>(
    "select organization, count(*) from notes group by organization",
  );
  return Object.fromEntries(rows.map(({ organization, count }) => [organization, count]));
}

async function countNotes(): Promise<number> {
  return (await database.query<{ count: number }>("select count(*) from notes")).rows[0]!.count;
}

/** How many rows each insert had, the largest first. */
async function insertSizes(): Promise<number[]> {
  const { rows } = await database.query<{ count: number }>(
    "select count(*) from notes group by xmin::text order by count desc",
  );
  return rows.map(({ count }) => count);
}

/** Runs `work` while the database refuses the rows, for a reason that passes. */
async function whileFailing<Result>(work: () => Promise<Result>): Promise<Result> {
  await database.query("alter table notes rename to hidden_notes");
  try {
    return await work();
  } finally {
    await database.query("alter table hidden_notes rename to notes");
  }
}

test("what is added within a second is written by one insert, in its order", async () => {
  const { writer, onError } = openWriter();
  const [first, second, third] = notes(3);
  writer.add([first!]);
  writer.add([second!, third!]);
  expect(await stored()).toEqual([]);
  await vi.waitFor(async () => expect(await stored()).toEqual([first, second, third]), 5_000);
  expect(await insertSizes()).toEqual([3]);
  expect(onError).not.toHaveBeenCalled();
});

test("an insert has ten thousand rows at most, and what is flushed together is written once", async () => {
  const { writer, onError } = openWriter();
  writer.add(notes(25_000));
  await Promise.all([writer.flush(), writer.flush(), writer.flush()]);
  expect(await insertSizes()).toEqual([10_000, 10_000, 5_000]);
  expect(onError).not.toHaveBeenCalled();
});

test("rows that the database did not take are kept, and written with later ones without being asked for", async () => {
  const { writer, onError } = openWriter();
  const [first, second] = notes(2);
  await whileFailing(async () => {
    writer.add([first!]);
    await writer.flush();
    expect(onError).toHaveBeenLastCalledWith(expect.objectContaining({ code: "42P01" }), 0, []);
    writer.add([second!]);
  });
  await vi.waitFor(async () => expect(await stored()).toEqual([first, second]), 5_000);
});

test("a database that fails is asked once a second, however many rows come", async () => {
  const { writer, onError } = openWriter();
  await whileFailing(async () => {
    writer.add(notes(10_000));
    await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1), 5_000);
    for (let round = 0; round < 50; round++) writer.add(notes(1));
    await database.query("select 1");
    expect(onError).toHaveBeenCalledTimes(1);
  });
  await writer.flush();
  expect(await countNotes()).toBe(10_050);
});

test("a hundred thousand rows are kept while the database fails; the number of those beyond is told", async () => {
  const { writer, lostRows } = openWriter();
  await whileFailing(async () => {
    writer.add(notes(60_000, "early"));
    await writer.flush();
    expect(lostRows()).toBe(0);
    writer.add(notes(60_000, "late"));
    await writer.flush();
    expect(lostRows()).toBe(20_000);
  });
  await writer.flush();
  const { rows } = await database.query("select text, count(*) from notes group by text order by text");
  expect(rows).toEqual([
    { text: "early", count: 60_000 },
    { text: "late", count: 40_000 },
  ]);
  expect(lostRows()).toBe(20_000);
});

test("no more are kept while the database does not answer, and the loss is told when it does", async () => {
  const { writer, onError, lostRows } = openWriter();
  let written: Promise<void> | undefined;
  await database.transaction(async (tx) => {
    await tx.query("lock table notes in exclusive mode");
    for (let round = 0; round < 11; round++) writer.add(notes(10_000));
    written = writer.flush();
    expect(onError).not.toHaveBeenCalled();
  });
  await written;
  expect(lostRows()).toBe(10_000);
  expect(await countNotes()).toBe(100_000);
});

test("rows that can never be written are lost, and hold up nobody", async () => {
  const { writer, onError } = openWriter();
  writer.add([{ organizationId: "acme", id: 70_000, text: "no smallint", data: {} }]);
  await writer.flush();
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: "22003" }), 1, ["acme"]]]);
  writer.add(notes(1));
  await writer.flush();
  expect(await stored()).toEqual(notes(1));
  expect(onError).toHaveBeenCalledTimes(1);
});

test("rows that can never be written are taken out of their batch: the others are written, in their order", async () => {
  const { writer, onError } = openWriter();
  const given = notes(1_000);
  for (const index of [0, 499, 999]) given[index] = { ...given[index]!, organizationId: "globex", id: 70_000 };
  writer.add(given);
  await writer.flush();
  expect(await stored()).toEqual(notes(1_000).filter((_, index) => ![0, 499, 999].includes(index)));
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: "22003" }), 3, ["globex"]]]);
});

test("a row that cannot be made into text is lost alone", async () => {
  const { writer, onError } = openWriter();
  writer.add([...notes(1), { organizationId: "globex", id: 1, text: "x", data: 1n }, ...notes(1, "after")]);
  await writer.flush();
  expect((await stored()).map(({ text }) => text)).toEqual(["note", "after"]);
  expect(onError.mock.calls).toEqual([[expect.any(TypeError), 1, ["globex"]]]);
});

test("rows are kept when there is no partition for them yet", async () => {
  await database.query("alter table notes rename to whole_notes");
  await database.query("create table notes (like whole_notes) partition by range (id)");
  try {
    const { writer, lostRows } = openWriter();
    writer.add(notes(5));
    await writer.flush();
    expect(lostRows()).toBe(0);
    await database.query("create table some_notes partition of notes for values from (0) to (100)");
    await writer.flush();
    expect(await countNotes()).toBe(5);
  } finally {
    await database.query("drop table notes");
    await database.query("alter table whole_notes rename to notes");
  }
});

test("while the database fails, a flood of one organization takes no place from the others", async () => {
  const { writer, lostRows, onError } = openWriter();
  await whileFailing(async () => {
    writer.add(notes(150_000, "flood", "loud"));
    writer.add(notes(20_000, "note", "quiet"));
    writer.add(notes(10, "note", "small"));
    await writer.flush();
    expect(lostRows()).toBe(70_010);
    expect(onError.mock.calls.at(-1)?.[2]).toEqual(["loud"]);
  });
  await writer.flush();
  expect(await storedByOrganization()).toEqual({ loud: 79_990, quiet: 20_000, small: 10 });
});

test("long rows are limited by their bytes: a flood of them is dropped, and each insert stays small", async () => {
  const { writer, lostRows } = openWriter();
  const text = "x".repeat(1024 * 1024);
  await whileFailing(async () => {
    expect(writer.add(notes(100, text, "loud"))).toBeLessThan(64);
    expect(writer.add(notes(3, text, "quiet"))).toBe(3);
    await writer.flush();
    expect(lostRows()).toBeGreaterThan(36);
  });
  await writer.flush();
  expect(await storedByOrganization()).toEqual({ loud: 103 - 3 - lostRows(), quiet: 3 });
  expect(Math.max(...(await insertSizes()))).toBeLessThanOrEqual(8);
});

test("rows of an organization do not wait behind all rows of another", async () => {
  const { writer } = openWriter();
  writer.add(notes(25_000, "flood", "loud"));
  writer.add(notes(5, "note", "quiet"));
  await writer.flush();
  const { rows } = await database.query<{ organization: string }>(
    "select organization from notes order by ctid limit 10000",
  );
  expect(rows.filter(({ organization }) => organization === "quiet")).toHaveLength(5);
});

test("any text can be written; what PostgreSQL cannot keep is replaced, in JSON it is kept", async () => {
  const { writer, onError } = openWriter();
  const texts = [...NAUGHTY_STRINGS, "", "null", "NULL", '"', "\\", '\\"', "{a,b}", "\n\t\u0001", "\ud800", "a\0b"];
  const given = texts.map((text, id) => ({ organizationId: "acme", id, text, data: { [text]: text } }));
  writer.add(given);
  await writer.flush();
  expect(onError).not.toHaveBeenCalled();
  expect(await stored()).toEqual(
    given.map((note) => ({ ...note, text: note.text.replaceAll("\0", "\ufffd").toWellFormed() })),
  );
});

test("closing writes what is there; what cannot be written is told as lost and not tried again", async () => {
  const { writer, onError } = openWriter();
  writer.add(notes(2));
  await writer.close();
  expect(await countNotes()).toBe(2);
  const other = openWriter();
  await whileFailing(async () => {
    other.writer.add(notes(3));
    await other.writer.close();
  });
  expect(other.lostRows()).toBe(3);
  await other.writer.flush();
  expect(await countNotes()).toBe(2);
  expect(onError).not.toHaveBeenCalled();
});
