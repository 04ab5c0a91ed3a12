import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Job } from "@muster/protocol/api/jobs";
import { Argument, type Command, Option } from "commander";
import { reach } from "../api.js";
import { describeJob } from "../bulk/describe-job.js";
import { followJob } from "../bulk/job.js";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { Failure, usageFailure } from "../failure.js";
import { readNames } from "../input/option-values.js";
import { readJsonObject } from "../input/read-argument.js";
import { lines } from "../output/table.js";
import { membersQuery } from "../search/members-query.js";

interface ExtractFlags {
  query: string;
  segment?: string;
  format: "json" | "csv" | "parquet";
  fields?: string[];
  csvFormulas?: boolean;
  purposes?: string[];
  out?: string;
  wait: boolean;
}

export function addExtract(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("extract")
    .description("extract users, accounts or events to a file")
    .addArgument(new Argument("<object>", "what to extract").choices(["users", "accounts", "events"]))
    .option(
      "--query <json>",
      "query that selects what to extract, as in a search; @file reads a file, - standard input",
      "{}",
    )
    .option("--segment <segment>", "extract only the members of this segment: its id or name")
    .addOption(
      new Option("--format <format>", "format of the file").choices(["json", "csv", "parquet"]).default("json"),
    )
    .option(
      "--fields <names>",
      "columns of a CSV or Parquet file, with commas between them (default: every field)",
      readNames,
    )
    .option("--csv-formulas", "do not put a quote in front of CSV cells that a spreadsheet would run as a formula")
    .option(
      "--purposes <names>",
      "leave out users who have not agreed to these purposes, with commas between them",
      readNames,
    )
    .option(
      "--out <file>",
      "where to write (default: the address of the file is printed); .gz compresses, - is standard output",
    )
    .option("--wait", "wait until it is done", true)
    .option("--no-wait", "do not wait until it is done; the job has the address of the file later")
    .example("muster extract users --segment Pros --format csv --fields email,plan --out pros.csv")
    .example("muster extract events --query @query.json --out - | head -n 3")
    .action(async (object: string, flags: ExtractFlags, command: Command) => {
      if (flags.out === "-" && context.width !== undefined) {
        throw usageFailure(
          "Standard output is a terminal, and the data may hold control sequences. Write to a file or to a program.",
        );
      }
      if (!flags.wait && flags.out !== undefined) throw usageFailure("--out needs the file: leave --no-wait out.");
      const { api, show } = await connect(context, command);
      const started = await api.post<Job>(`/extract/${object}`, {
        url: null,
        format: flags.format,
        query: await membersQuery(api, await readJsonObject(context, flags.query, "query"), flags.segment),
        csv_formulas: flags.csvFormulas ?? false,
        ...(flags.purposes === undefined ? {} : { purposes: flags.purposes }),
        ...(flags.fields === undefined ? {} : { fields: flags.fields }),
      });
      if (!flags.wait) return show(started, describeJob);
      const job = await followJob(api, started, context);
      if (flags.out !== undefined) await download(job, flags.out, context);
      if (flags.out !== "-") show(job, () => describe(job, flags.out));
    });
}

async function download({ download_url, progress }: Job, file: string, context: CommandContext): Promise<void> {
  // The file may be large, so the download has no time limit.
  const response = await reach(download_url ?? "", { headers: { "accept-encoding": "identity" }, signal: null });
  if (!response.ok || !response.body) {
    throw new Failure("refused", `The file could not be downloaded: status ${response.status}.`);
  }
  let bytes = 0;
  // The stream type of `fetch` and Node's own describe the same class.
  const content = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  content.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    context.progress(`downloading ${Math.floor((100 * bytes) / Math.max(1, progress.processed_bytes))} %`);
  });
  if (file === "-") {
    // Standard output stays open: the process goes on.
    await pipeline(content, context.stdout, { end: false });
    return context.progress("");
  }
  const target = createWriteStream(file);
  await (file.endsWith(".gz") ? pipeline(content, createGzip(), target) : pipeline(content, target));
  context.progress("");
}

function describe({ id, status, progress, result, download_url = "" }: Job, out: string | undefined): string {
  return lines({
    job: id,
    status,
    records: progress.processed.toLocaleString("en"),
    ...(typeof result?.withheld === "number" ? { withheld: result.withheld.toLocaleString("en") } : {}),
    ...(out === undefined ? { download: download_url } : { file: out }),
  });
}
