// @module-tag long
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../../../../testing/start-web-server.js";
import { sized } from "../../../../../testing/test-length.js";
import { ended, type JobAnswer, PATIENCE, runJob } from "../../testing/bulk.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let web: WebServer;
let sender: Sender;
let file = "";

beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  sender = new Sender(server);
  web = await startWebServer((_request, response) => response.end(file));
  // Everybody has computed values too, by which nobody is known.
  for (const [name, compute] of [
    ["label", { formula: 'plan + "!"' }],
    ["orders", { count: { event: "Ordered" } }],
  ]) {
    const made = await sender.call("POST", "/computed_attributes", { payload: { target: "user", name, compute } });
    expect([made.statusCode, made.body]).toEqual([201, expect.any(String)]);
  }
});
afterAll(async () => {
  await web.close();
  await server.close();
});

type Value = string | number | null;
type Mode = "set" | "setIfNull" | "keep" | "inc";

/** One value that somebody gives to a person. `by` is the import, or undefined for a record. */
interface Write {
  person: string;
  name: string;
  value: Value;
  mode: Mode;
  at: number;
  by: number | undefined;
}

interface Cell {
  value: Value;
  at: number;
}

/** The plain model: what people have after these writes, in the order of their arrival. */
function stateAfter(writes: readonly Write[]): Map<string, Map<string, Cell>> {
  const people = new Map<string, Map<string, Cell>>();
  for (const { person, name, value, mode, at } of writes) {
    const cells = people.get(person) ?? new Map<string, Cell>();
    people.set(person, cells);
    const cell = cells.get(name);
    const isOlder = cell !== undefined && cell.at > at;
    const isSet =
      mode === "set"
        ? !isOlder
        : mode === "keep"
          ? value !== null && (cell?.value ?? null) === null
          : mode === "setIfNull" && (cell?.value ?? null) === null;
    if (isSet) cells.set(name, { value, at });
    if (mode === "inc") {
      cells.set(name, {
        value: Number(cell?.value ?? 0) + Number(value),
        at: Math.max(at, cell?.value == null ? 0 : cell.at),
      });
    }
  }
  return people;
}

const PEOPLE = ["a", "b", "c"];
const NAMES = ["plan", "city"];

const given = fc.record({
  person: fc.constantFrom(...PEOPLE),
  name: fc.constantFrom(...NAMES),
  value: fc.option(fc.constantFrom("x", "y", "z")),
});
const record = fc.record({
  what: fc.constant("record" as const),
  given,
  ifNull: fc.constantFrom(false, false, false, true),
  /** How many minutes before the present its time is. */
  late: fc.constantFrom(0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
});
const anImport = fc.record({
  what: fc.constant("import" as const),
  rows: fc.array(given, { minLength: 1, maxLength: 4 }),
  overwrite: fc.boolean(),
});
const anUndo = fc.record({
  what: fc.constant("undo" as const),
  which: fc.nat(9),
  /** Undo, or undo the undo. */
  back: fc.constantFrom(false, false, true),
});
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: record }, { weight: 2, arbitrary: anImport }, anUndo), {
  minLength: 3,
  maxLength: 12,
});

async function undo(id: string): Promise<JobAnswer> {
  const [url, headers] = [`/api/v1/${id}/revert`, server.operatorHeaders];
  const dry = await server.app.inject({ method: "POST", url, headers, payload: { dry_run: true } });
  expect([dry.statusCode, dry.body]).toEqual([201, expect.any(String)]);
  const preview = await ended(server, dry.json<JobAnswer>().id, PATIENCE);
  const asked = await server.app.inject({ method: "POST", url, headers, payload: {} });
  expect([asked.statusCode, asked.body]).toEqual([201, expect.any(String)]);
  const job = await ended(server, asked.json<JobAnswer>().id, PATIENCE);
  expect(job.status).toBe("completed");
  // The preview is exact.
  expect(job.result).toEqual({ ...preview.result, dry_run: false });
  return job;
}

test("what is left is what the other writes alone would have made, in any order of arrival", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      run += 1;
      const idOf = (person: string) => `run ${run} ${person}`;
      let writes: Write[] = [];
      let minute = 0;
      const imports: { id: string; undone: string | undefined; number: number }[] = [];
      for (const step of all) {
        if (step.what === "record") {
          minute += 1;
          const { person, name, value } = step.given;
          if (step.ifNull && value === null) continue;
          // Every record has a time of its own.
          const at = Date.now() - step.late * 60_000 - (step.late === 0 ? 0 : minute);
          const body = { [name]: step.ifNull ? { operation: "setIfNull", value } : value };
          await sender.settle([sender.traits({ user: { external_id: idOf(person) } }, body, new Date(at))]);
          writes.push({ ...step.given, mode: step.ifNull ? "setIfNull" : "set", at, by: undefined });
        } else if (step.what === "import") {
          file = step.rows
            .map(({ person, name, value }) => JSON.stringify({ userId: idOf(person), [name]: value }))
            .join("\n");
          const before = Date.now();
          const job = await runJob(server, "/import/users", {
            url: web.url,
            format: "json",
            overwrite: step.overwrite,
          });
          const number = imports.length;
          imports.push({ id: job.id, undone: undefined, number });
          const mode = step.overwrite ? "set" : "keep";
          for (const row of step.rows) writes.push({ ...row, mode, at: before, by: number });
        } else if (imports.length > 0) {
          const known = imports[step.which % imports.length]!;
          if (step.back !== (known.undone !== undefined)) continue;
          if (known.undone === undefined) known.undone = (await undo(known.id)).id;
          else {
          }
        }
      }
      const undone = new Set(imports.filter((one) => one.undone !== undefined).map(({ number }) => number));
      writes = writes.filter(({ by }) => by === undefined || !undone.has(by));
      const expected = stateAfter(writes);
      for (const person of PEOPLE) {
        const cells = expected.get(person);
        const isKnown = await sender.isKnown({ external_id: idOf(person) });
        expect([person, isKnown]).toEqual([person, cells !== undefined]);
        if (!cells) continue;
        const found = await sender.user({ external_id: idOf(person) });
        for (const name of NAMES) {
          expect([person, name, found[`traits_${name}`] ?? null]).toEqual([
            person,
            name,
            cells.get(name)?.value ?? null,
          ]);
        }
        const plan = cells.get("plan")?.value ?? null;
        expect([person, found.traits_label ?? null]).toEqual([person, plan === null ? null : `${plan}!`]);
      }
    }),
    { numRuns: sized(12, 300) },
  );
});
