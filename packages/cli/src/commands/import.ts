import { basename } from "node:path";
import type { Job, JobObject } from "@muster/protocol/api/jobs";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { describeJob } from "../bulk/describe-job.js";
import { provideFile } from "../bulk/import-file.js";
import { type FormatFlags, findFormat } from "../bulk/import-format.js";
import { followJob } from "../bulk/job.js";
import { tellRefusals } from "../bulk/tell-refusals.js";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { EXIT_CODES, Exit } from "../failure.js";

interface ImportFlags extends FormatFlags {
  overwrite?: boolean;
  notify?: boolean;
  emitEvent?: boolean;
  name?: string;
  description?: string;
  trait: Record<string, unknown>;
  scheduleAt?: string;
  dryRun?: boolean;
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
    .option("--csv", "the file is CSV (default: when its name or its content says so)")
    .addOption(
      new Option(
        "--delimiter <character>",
        "what is between the cells of a CSV file; tab for a tab (default: guessed)",
      ).choices([",", ";", "|", "tab"]),
    )
    .addOption(
      new Option("--column <column=field>", "the field that a column of a CSV file becomes; can be repeated")
        .argParser(addColumn)
        .default(new Map(), "guessed from the column's name"),
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
    .action(async (object: JobObject, file: string, flags: ImportFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const provided = await provideFile(api, file, context);
      const format = await findFormat(api, object, provided, flags, context);
      const started = await api.post<Job>(`/import/${object}`, {
        url: provided.url,
        ...format,
        ...parametersOf(provided.name, flags),
      });
      const job = flags.wait && !flags.scheduleAt ? await followJob(api, started, context) : started;
      const isRefused = await tellRefusals(api, job, context);
      show(job, describeJob);
      if (isRefused) throw new Exit(EXIT_CODES.refused.code);
    });
}

function columns(flags: string, description: string): Option {
  return new Option(flags, description).argParser(splitNames).default([], "none");
}

function parametersOf(name: string, flags: ImportFlags): object {
  return {
    name: flags.name ?? basename(name),
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
