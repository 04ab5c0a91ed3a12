import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Argument, type Command, Option } from "commander";
import { reach } from "../api.js";
import { followJob, type Job } from "../bulk/job.js";
import { type CommandContext, connect, globalOptions } from "../command-context.js";
import { lines } from "../output.js";

interface ExtractFlags {
  query: string;
  segment?: string;
  format: "json" | "csv";
  fields?: string;
  csvFormulas?: boolean;
  out?: string;
}

export function addExtract(program: Command, context: CommandContext): void {
  program
    .command("extract")
    .description("extract users, accounts or events to a file")
    .addArgument(new Argument("<object>", "what to extract").choices(["users", "accounts", "events"]))
    .option("--query <json>", "query that selects what to extract, as in a search", "{}")
    .option("--segment <id>", "extract only the members of this segment")
    .addOption(new Option("--format <format>", "of the file").choices(["json", "csv"]).default("json"))
    .option("--fields <names>", "columns of a CSV file, with commas between them (default: every field)")
    .option("--csv-formulas", "do not put a quote in front of CSV cells that a spreadsheet would run as a formula")
    .option("--out <file>", "where to write (default: the address of the file is printed); .gz compresses")
    .action(async (object: string, flags: ExtractFlags, command: Command) => {
      const options = globalOptions(command);
      const api = await connect(context, options);
      const started = await api.post<Job>(`/extract/${object}`, {
        url: null,
        format: flags.format,
        query: queryOf(flags),
        csv_formulas: flags.csvFormulas ?? false,
        ...(flags.fields === undefined ? {} : { fields: flags.fields.split(",").map((name) => name.trim()) }),
      });
      const job = await followJob(api, started, context);
      if (flags.out !== undefined) await download(job, flags.out, context);
      context.print(options.json ? JSON.stringify(job) : describe(job, flags.out));
    });
}

function queryOf({ query, segment }: ExtractFlags): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(query);
  } catch (error) {
    throw new Error(`The query is not valid JSON: ${(error as Error).message}.`, { cause: error });
  }
  return segment === undefined ? parsed : { bool: { filter: [{ term: { segment_ids: segment } }, parsed] } };
}

async function download({ download_url, progress }: Job, file: string, context: CommandContext): Promise<void> {
  // The file may be large, so the download has no time limit.
  const response = await reach(download_url ?? "", { headers: { "accept-encoding": "identity" }, signal: null });
  if (!response.ok || !response.body) throw new Error(`The file could not be downloaded: status ${response.status}.`);
  let bytes = 0;
  // The stream type of `fetch` and Node's own describe the same class.
  const content = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  content.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    context.progress(`downloading ${Math.floor((100 * bytes) / Math.max(1, progress.processed_bytes))} %`);
  });
  const target = createWriteStream(file);
  await (file.endsWith(".gz") ? pipeline(content, createGzip(), target) : pipeline(content, target));
  context.progress("");
}

function describe({ id, status, progress, download_url = "" }: Job, out: string | undefined): string {
  return lines({
    job: id,
    status,
    records: progress.processed.toLocaleString("en"),
    ...(out === undefined ? { download: download_url } : { file: out }),
  });
}
