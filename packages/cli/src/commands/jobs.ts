import type { Command } from "commander";
import { describeProgress, followJob, type Job } from "../bulk/job.js";
import { type CommandContext, connect, type GlobalOptions, globalOptions } from "../command-context.js";
import { lines, table } from "../output.js";

export function addJobs(program: Command, context: CommandContext): void {
  const jobs = program.command("jobs").description("imports and extracts");
  const show = (job: Job, { json }: GlobalOptions) => context.print(json ? JSON.stringify(job) : describe(job));

  jobs
    .command("list", { isDefault: true })
    .description("list the 30 latest jobs")
    .action(async (_options: object, command: Command) => {
      const options = globalOptions(command);
      const all = await (await connect(context, options)).get<Job[]>("/jobs");
      context.print(options.json ? JSON.stringify(all) : listing(all));
    });

  jobs
    .command("show <id>")
    .description("show one job")
    .action(async (id: string, _options: object, command: Command) => {
      const options = globalOptions(command);
      const job = await (await connect(context, options)).get<Job>(`/${encodeURIComponent(id)}`);
      show(job, options);
    });

  jobs
    .command("wait <id>")
    .description("wait until a job is done")
    .action(async (id: string, _options: object, command: Command) => {
      const options = globalOptions(command);
      const api = await connect(context, options);
      const job = await followJob(api, await api.get<Job>(`/${encodeURIComponent(id)}`), context);
      show(job, options);
    });

  jobs
    .command("cancel <id>")
    .description("stop a job, or cancel it before it runs")
    .action(async (id: string, _options: object, command: Command) => {
      const options = globalOptions(command);
      const job = await (await connect(context, options)).delete<Job>(`/${encodeURIComponent(id)}`);
      show(job, options);
    });
}

function listing(jobs: Job[]): string {
  if (jobs.length === 0) return "No imports or extracts yet.";
  return table(
    ["JOB", "TYPE", "OBJECT", "STATUS", "RECORDS", "REJECTED", "NAME"],
    jobs.map(({ id, type, object, status, progress, name }) => [
      id,
      type,
      object,
      status,
      progress.processed.toLocaleString("en"),
      progress.rejected.toLocaleString("en"),
      name,
    ]),
  );
}

function describe(job: Job): string {
  const { id, type, object, name, status, error, download_url, rejected_url } = job;
  return lines({
    job: id,
    name,
    what: `${type} of ${object}`,
    status,
    ...(status === "running" ? { progress: describeProgress(job) } : {}),
    records: job.progress.processed.toLocaleString("en"),
    ...(error === null ? {} : { error }),
    ...(download_url ? { download: download_url } : {}),
    ...(rejected_url ? { rejected: `${job.progress.rejected.toLocaleString("en")}, reasons at ${rejected_url}` } : {}),
  });
}
