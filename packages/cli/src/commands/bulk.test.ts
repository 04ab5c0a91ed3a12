import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ConnectorApp, smartManifest } from "../../../../apps/server/src/testing/connector-app.js";
import { type CliServer, openCliServer } from "../testing/cli-server.js";

let served: CliServer;
let folder: string;
const cli = (...args: string[]) => served.cli(args);
const json = (...args: string[]) => served.json(args);

beforeAll(async () => {
  served = await openCliServer();
  folder = await mkdtemp(join(tmpdir(), "muster-cli-"));
  await writeFile(join(folder, "people.csv"), "external_id,age\nb1,30\nb2,40\n");
  await json("import", "users", join(folder, "people.csv"), "--number", "age", "--trait", "source=csv");
});
afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

describe("import", () => {
  test("names refused lines, and shows the progress on a terminal only", async () => {
    const input = '{"external_id": "c1"}\nnonsense\n';
    const { code, stdout, stderr } = await served.cli(["import", "users", "-"], { input });
    expect([code, stderr]).toEqual([
      0,
      "Refused, as a whole or in part: 1 row of 2.\n  line 2: The record is not valid JSON.\n",
    ]);
    expect(stdout).toMatch(/status +completed\n[\s\S]*reasons +http/);
    const seen = await served.cli(["import", "users", "-"], { input, terminal: 80 });
    expect(seen.stderr).toMatch(/import(ing| of) users/);
  });

  test("--no-wait returns at once, and `jobs wait` waits", async () => {
    const job = await served.json(["import", "users", "-", "--no-wait"], { input: '{"external_id": "c2"}' });
    expect(job).toMatchObject({
      type: "import",
      name: "standard input",
      status: expect.stringMatching(/scheduled|running/),
    });
    expect(await json("jobs", "wait", job.id)).toMatchObject({ id: job.id, status: "completed" });
  });

  test("standard input can be CSV", async () => {
    const input = "external_id,age\nb3,50\n";
    await served.json(["import", "users", "-", "--csv", "--number", "age"], { input });
    expect(await json("user", "show", "b3")).toMatchObject({ traits_age: 50 });
  });

  test("a bad cell refuses its row, columns are guessed, and a dry run counts what the import then does", async () => {
    const file = join(folder, "customers.csv");
    const rows = [
      "Customer ID;E-Mail;Full name;Company domain;Seats;Customer since at;Post code",
      "g1;ada@guess.example;Ada;guess.example;12;2024-05-01;01234",
      "g2;grace@guess.example;Grace;guess.example;many;2025-11-20;1",
      "g3;edsger@guess.example;Edsger;;few;last summer;2",
      // Refused in part by the pipeline, for its date.
      "g4;;Mary;;7;last summer;3",
      "g5;not an email;Joan;;8;2026-01-15;4",
      ";;Nobody;;9;;5",
      "g6;;Too long;;1;;6;7",
      // The same user again.
      "g1;ada@guess.example;Ada L.;guess.example;13;2024-05-01;01234",
    ];
    await writeFile(file, rows.join("\n"));
    const flags = ["users", file, "--number", "seats"];
    const before = await json("search", "users", "--limit", "1");
    const dry = await json("import", ...flags, "--dry-run");
    const { code, stdout, stderr } = await cli("import", ...flags, "--json");
    const done = JSON.parse(stdout);
    const after = await json("search", "users", "--limit", "1");
    expect(code).toBe(0);
    expect([done.progress.rejected, after.total - before.total]).toEqual([dry.result.refused, dry.result.new]);
    expect(stderr).toMatch(/^Refused, as a whole or in part: 5 rows of 8\.\n/);
    expect(stderr).toContain('  2 rows, first in line 3: The column "Seats" is not a number.\n');
    expect(stderr).toMatch(/ {2}line 5: .*last summer.*\n/);
    expect(await json("user", "show", "ada@guess.example")).toMatchObject({
      external_id: "g1",
      name: "Ada",
      traits_seats: 12,
      traits_post_code: "01234",
      account: { domain: "guess.example" },
    });
    expect(await cli("user", "show", "grace@guess.example")).toMatchObject({ code: 1 });
  });

  test("a file whose rows are all refused exits with 1, with the reasons", async () => {
    const file = join(folder, "refused.csv");
    await writeFile(file, "email,visits\na@refused.example,many\nb@refused.example,few\n");
    const { code, stderr, stdout } = await cli("import", "users", file, "--number", "visits");
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Refused, as a whole or in part: all 2 rows.\n  2 rows, first in line 2: The column "visits" is not a number.\n',
    );
    expect(stdout).toMatch(/rejected +2\n/);
    const dry = await cli("import", "users", file, "--number", "visits", "--dry-run");
    expect(dry).toMatchObject({ code: 1, stderr });
  });

  test("--column says what a column is, and wins over a guess", async () => {
    const file = join(folder, "columns.csv");
    await writeFile(file, "Number|Work mail|Mail|Tier\nn1|n1@work.example|n1@home.example|gold\n");
    const columns = ["--column", "Number=external_id", "--column", "Work mail=email", "--column", "Tier=plan"];
    await json("import", "users", file, ...columns);
    expect(await json("user", "show", "n1")).toMatchObject({ email: "n1@work.example", traits_plan: "gold" });
    expect(await cli("import", "users", file, "--column", "E-Mail=email")).toMatchObject({
      code: 2,
      stderr: 'The file has no column "E-Mail": it has Number, Work mail, Mail, Tier.\n',
    });
  });

  test("events of a CSV file have their fields and properties", async () => {
    const file = join(folder, "events.csv");
    await writeFile(file, "user_id,event name,timestamp,total\nb1,Order placed,2026-03-01T10:00:00Z,12\n");
    await json("import", "events", file, "--number", "total");
    await vi.waitFor(
      async () =>
        expect(await json("user", "events", "b1")).toMatchObject([
          { event: "Order placed", created_at: "2026-03-01T10:00:00.000Z", properties: { total: 12 } },
        ]),
      { timeout: 30_000 },
    );
  });

  describe("a file that is not what its name says", () => {
    const importAs = async (name: string, content: string | Buffer) => {
      await writeFile(join(folder, name), content);
      const { code, stderr, stdout } = await cli("import", "users", join(folder, name), "--json");
      return { code, stderr, records: stdout === "" ? undefined : JSON.parse(stdout).result.records };
    };
    const csv = "external_id,plan\nf1,pro\n";
    const PARQUET = "PAR1\x15\x04\x15";

    test.each([
      ["zipped.csv", gzipSync(csv), "zipped.csv is compressed with gzip, and is read as such.\n"],
      ["rows.csv", '{"external_id": "f2"}\n', "rows.csv holds JSON, and is read as JSON.\n"],
      ["rows.json", csv, "rows.json does not hold JSON, and is read as CSV.\n"],
      ["fine.csv.gz", gzipSync(csv), ""],
      ["fine.json", '\n[{"external_id": "f3"}]', ""],
      ["fine.tsv", csv.replaceAll(",", "\t"), ""],
    ])("%s is read by its content", async (name, content, told) => {
      expect(await importAs(name, content)).toEqual({ code: 0, stderr: told, records: 1 });
    });

    test.each([
      ["people.json", PARQUET, "is a Parquet file"],
      ["people.csv", "PK\x03\x04\x14", "is a ZIP archive, as Excel files (.xlsx) are"],
      ["page.csv", "<!DOCTYPE html><html></html>", "is a web page or XML"],
      ["wide.csv", Buffer.from("\ufeffexternal_id\n1\n", "utf16le"), "is a text in UTF-16"],
    ])("%s is refused when it is something else", async (name, content, what) => {
      const { code, stderr } = await importAs(name, content);
      expect([code, stderr]).toEqual([
        2,
        `${name} ${what}. Give JSON or CSV in UTF-8, plain or compressed with gzip.\n`,
      ]);
    });

    test("the server says the same of what it decompresses", async () => {
      expect(await importAs("people.json.gz", gzipSync(PARQUET))).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/failed: The file is a Parquet file\. An import reads JSON/),
      });
      expect(await importAs("people.csv.gz", gzipSync(PARQUET))).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^The file is a Parquet file\. An import reads JSON/),
      });
    });
  });

  test("a missing file and a wrong trait are errors of usage", async () => {
    expect(await cli("import", "users", join(folder, "missing.ndjson"))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^There is no file .*missing\.ndjson\.\n$/),
    });
    expect((await cli("import", "users", "-", "--trait", "nonsense")).code).toBe(2);
    expect((await cli("import", "users", folder)).stderr).toMatch(/is a folder/);
  });

  test("a job that fails exits with 1", async () => {
    // The server may not fetch addresses of this machine.
    const { code, stderr, stdout } = await cli("import", "users", "http://127.0.0.1:1/users.json");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/127\.0\.0\.1|private|refused|not allowed/i);
  });
});

describe("extract", () => {
  test("writes to a file, compressed by its name, and to standard output", async () => {
    const file = join(folder, "out.ndjson.gz");
    const query = '{"term": {"source": "csv"}}';
    await json("extract", "users", "--query", query, "--out", file);
    expect(
      gunzipSync(await readFile(file))
        .toString()
        .trim()
        .split("\n"),
    ).toHaveLength(2);
    const { stdout } = await cli(
      "extract",
      "users",
      "--query",
      query,
      "--format",
      "csv",
      "--fields",
      "age",
      "--out",
      "-",
    );
    expect((await served.cli(["extract", "users", "--out", "-"], { terminal: 80 })).code).toBe(2);
    expect(stdout.split("\r\n").sort()).toEqual(["", '"30"', '"40"', '"age"']);
  });

  test("of a segment by its name; --no-wait and --out exclude each other", async () => {
    await json("segment", "create", "Everybody", "--query", "{}");
    expect(await json("extract", "users", "--segment", "Everybody", "--no-wait")).toMatchObject({ type: "extract" });
    expect(await cli("extract", "users", "--segment", "Nobody")).toMatchObject({ code: 1 });
    expect(await cli("extract", "users", "--no-wait", "--out", "x")).toMatchObject({ code: 2 });
    expect(await cli("extract", "users", "--query", "nonsense")).toMatchObject({ code: 2 });
  });
});

describe("jobs", () => {
  test("are listed, filtered and shown", async () => {
    const all = await json("jobs");
    expect(all[0]).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{24}$/), status: expect.any(String) });
    const imports = await json("jobs", "list", "--type", "import", "--status", "completed", "--limit", "1");
    expect(imports).toMatchObject([{ type: "import", status: "completed" }]);
    expect((await cli("jobs", "show", imports[0].id)).stdout).toMatch(/^job +[0-9a-f]{24}\nname /);
    expect((await cli("jobs")).stdout).toMatch(/^JOB +TYPE +OBJECT +STATUS/);
    expect((await cli("jobs", "list", "--type", "nonsense")).code).toBe(2);
  });

  test("cancel stops a job before it runs, and never removes anything else", async () => {
    const later = await served.json(["import", "users", "-", "--schedule-at", "2100-01-01"], {
      input: '{"external_id": "x"}',
    });
    expect(await json("jobs", "cancel", later.id)).toMatchObject({ id: later.id, status: "canceled" });
    expect(await cli("jobs", "wait", later.id)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was canceled\.\n$/),
    });
    const { id } = await json("connector", "create", "Not a job");
    expect(await cli("jobs", "cancel", id)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no job/),
    });
    expect(await json("connector", "show", id)).toMatchObject({ id });
  });
});

test("search shows the members of a segment, with a query or without", async () => {
  await json("segment", "create", "Imported", "--query", '{"term": {"source": "csv"}}');
  await vi.waitFor(
    async () => expect(await json("search", "users", "--segment", "Imported")).toMatchObject({ total: 2 }),
    { timeout: 30_000 },
  );
  const query = '{"term": {"age": 30}}';
  expect(await json("search", "users", "--segment", "Imported", "--query", query)).toMatchObject({ total: 1 });
  expect(await cli("search", "events", "--segment", "Imported")).toMatchObject({ code: 2 });
});

test("connector export sends users to a connector, and asks before it sends all", async () => {
  const app = await ConnectorApp.open(smartManifest({ name: "Target", tags: ["smart-notifier", "kraken-exports"] }));
  try {
    await json("connector", "install", app.url);
    expect(await cli("connector", "export", "Target")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^Send all users to "Target"\?/),
    });
    await json("segment", "create", "From CSV", "--query", '{"term": {"source": "csv"}}');
    await vi.waitFor(
      async () => expect(await json("segment", "show", "From CSV")).toMatchObject({ stats: { users: 2 } }),
      {
        timeout: 30_000,
      },
    );
    expect(await json("connector", "export", "Target", "--segment", "From CSV")).toMatchObject({
      type: "export",
      status: "completed",
    });
    expect(await json("connector", "export", "Target", "--object", "accounts", "--yes", "--no-wait")).toMatchObject({
      object: "accounts",
    });
    await app.until(({ notifications }) => notifications.some(({ is_export }) => is_export));
  } finally {
    await app.close();
  }
});

test("log shows where the ingestion log is, asks before it moves it, and says when there is no NATS", async () => {
  const present = { organization: "default", log: "postgres", state: "present" };
  expect(await json("log", "show")).toMatchObject(present);
  const asked = await cli("log", "move", "--to", "nats");
  expect(asked).toMatchObject({ code: 4, stderr: expect.stringMatching(/have to retry.*add --yes/) });
  expect(await json("log", "move", "--to", "postgres", "--yes")).toMatchObject(present);
  const refused = await cli("log", "move", "--to", "nats", "--yes");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("NATS_URL");
});

test("log renew asks first, and does nothing where no stream has lost its end", async () => {
  const asked = await cli("log", "renew", "--all");
  expect(asked).toMatchObject({ code: 4, stderr: expect.stringMatching(/have to retry.*add --yes/) });
  expect(await json("log", "renew", "--all", "--yes")).toEqual([]);
  const refused = await cli("log", "renew", "--yes");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("is in PostgreSQL") });
});

test("rebuild asks, waits until it is done, and shows the last one with --status", async () => {
  expect(await cli("rebuild")).toMatchObject({ code: 4, stderr: expect.stringMatching(/incomplete until.*add --yes/) });
  expect(await json("rebuild", "--yes")).toMatchObject([{ organization: "default", phase: "done" }]);
  expect(await json("rebuild", "--status")).toMatchObject([{ organization: "default", phase: "done" }]);
});
