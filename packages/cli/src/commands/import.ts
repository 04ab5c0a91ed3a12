import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { withoutUserAttributePrefix } from "@muster/protocol";
import type { Attribute } from "@muster/protocol/api/attributes";
import type { Job } from "@muster/protocol/api/jobs";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { Api } from "../api.js";
import { type ColumnTypeOf, type CsvReading, csvRecords } from "../bulk/csv-records.js";
import { describeJob } from "../bulk/describe-job.js";
import { followJob } from "../bulk/job.js";
import { upload } from "../bulk/upload.js";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { usageFailure } from "../failure.js";
import { counted } from "../output/counted.js";
import { readList } from "../read-list.js";

interface ImportFlags {
  overwrite?: boolean;
  notify?: boolean;
  emitEvent?: boolean;
  name?: string;
  description?: string;
  trait: Record<string, unknown>;
  scheduleAt?: string;
  dryRun?: boolean;
  number: string[];
  boolean: string[];
  csv?: boolean;
  delimiter?: string;
  column: Map<string, string>;
  csvFormulas?: boolean;
  wait: boolean;
}

export function addImport(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("import")
    .description("import users, accounts or events from a file (NDJSON, JSON array, gzip, CSV) or an address")
    .addArgument(new Argument("<object>", "what the records are").choices(["users", "accounts", "events"]))
    .argument("<file>", "a file of this machine, - for standard input, or an http(s) address that the server can reach")
    .option("--overwrite", "replace existing values by those of the file")
    .option("--notify", "notify connectors of each imported record")
    .option("--emit-event", "record an Imported User event for each user")
    .option("--name <name>", "name of the import (default: the file's)")
    .option("--description <text>", "what the import is about")
    .addOption(
      new Option("--trait <name=value>", "attribute of every record; can be repeated")
        .argParser(addTrait)
        .default({}, "none"),
    )
    .option("--schedule-at <date>", "run later")
    .option("--dry-run", "check the file without importing it")
    .option("--csv", "the file is CSV (default: when its name ends with .csv)")
    .addOption(
      new Option("--delimiter <character>", "what is between the cells of a CSV file; tab for a tab")
        .choices([",", ";", "|", "tab"])
        .default(","),
    )
    .addOption(
      new Option("--column <column=field>", "the field that a column of a CSV file becomes; can be repeated")
        .argParser(addColumn)
        .default(new Map(), "the column's name"),
    )
    .addOption(columns("--number <columns>", "columns of a CSV file that hold numbers, beside known attributes"))
    .addOption(
      columns("--boolean <columns>", "columns of a CSV file that hold true and false, beside known attributes"),
    )
    .option("--csv-formulas", "keep the quote in front of CSV cells like '=1+1, which an extract has put there")
    .option("--wait", "wait until it is done", true)
    .option("--no-wait", "do not wait until it is done")
    .example("muster import users people.csv --number age,score")
    .example('muster import users people.csv --delimiter ";" --column E-Mail=email --column Customer=external_id')
    .example("muster import events events.ndjson.gz --dry-run")
    .action(async (object: string, file: string, flags: ImportFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const url = /^https?:/.test(file) ? file : await uploadFile(api, object, file, flags, context);
      const started = await api.post<Job>(`/import/${object}`, { url, format: "json", ...parametersOf(file, flags) });
      const job = flags.wait && !flags.scheduleAt ? await followJob(api, started, context) : started;
      const { rejected } = job.progress;
      if (rejected > 0) context.warn(`Refused, as a whole or in part: ${counted(rejected, "lines")}.`);
      show(job, describeJob);
    });
}

function columns(flags: string, description: string): Option {
  return new Option(flags, description).argParser(splitNames).default([], "none");
}

async function uploadFile(api: Api, object: string, file: string, flags: ImportFlags, context: CommandContext) {
  const size = file === "-" ? 0 : await sizeOf(file);
  const content = file === "-" ? context.stdin : createReadStream(file);
  const isCsv = flags.csv ?? /\.csv$/i.test(file);
  const records = isCsv ? csvRecords(content, await csvReading(api, object, flags)) : content;
  const showSent = (bytes: number) => {
    // The size of a pipe is not known, and CSV is sent as JSON, which is longer.
    if (!isCsv && size > 0) context.progress(`uploading ${Math.floor((100 * bytes) / size)} %`);
  };
  return upload(api, records as AsyncIterable<Uint8Array>, showSent);
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => {
    throw usageFailure(`There is no file ${file}.`);
  });
  if (found.isDirectory()) throw usageFailure(`${file} is a folder.`);
  return found.size;
}

async function csvReading(api: Api, object: string, flags: ImportFlags): Promise<CsvReading> {
  const { column: fields, delimiter, csvFormulas: withFormulas } = flags;
  const typeOf = await columnTypes(api, object, flags);
  return { typeOf, fields, delimiter: delimiter === "tab" ? "\t" : delimiter, withFormulas };
}

/** A column named like a known attribute has that attribute's type. Others are text, unless a flag gives a type. */
async function columnTypes(api: Api, object: string, flags: ImportFlags): Promise<ColumnTypeOf> {
  const path = object === "accounts" ? "/settings/account_traits" : "/settings/user_traits";
  const known = object === "events" ? [] : await readList<Attribute>(api, path);
  const types = new Map(known.map(({ name, type }) => [name, type]));
  for (const name of flags.number) types.set(name, "numeric");
  for (const name of flags.boolean) types.set(name, "boolean");
  // Only attributes of users have the prefix.
  const nameOf = (column: string) => (object === "users" ? withoutUserAttributePrefix(column) : column);
  return (column) => types.get(column) ?? types.get(nameOf(column));
}

function parametersOf(file: string, flags: ImportFlags): object {
  return {
    name: flags.name ?? (file === "-" ? "standard input" : basename(file)),
    traits: flags.trait,
    overwrite: flags.overwrite ?? false,
    notify: flags.notify ?? false,
    emit_event: flags.emitEvent ?? false,
    dry_run: flags.dryRun ?? false,
    ...(flags.description === undefined ? {} : { description: flags.description }),
    ...(flags.scheduleAt === undefined ? {} : { schedule_at: flags.scheduleAt }),
  };
}

/** Reads `name=value`. A value that is valid JSON is parsed; any other is text. */
function addTrait(given: string, traits: Record<string, unknown>): Record<string, unknown> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Give it as name=value.");
  return { ...traits, [name]: readValue(value) };
}

function addColumn(given: string, fields: ReadonlyMap<string, string>): Map<string, string> {
  const [, column, field] = /^([^=]+)=(.+)$/s.exec(given) ?? [];
  if (column === undefined || field === undefined) throw new InvalidArgumentError("Give it as column=field.");
  return new Map([...fields, [column, field]]);
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function splitNames(given: string, names: string[]): string[] {
  return [...names, ...given.split(",").map((name) => name.trim())];
}
