import { JOB_STATUSES, JOB_TYPES, type Job } from "@muster/protocol/api/jobs";
import { type Command, Option } from "commander";
import type { Api } from "../api.js";
import { describeJob } from "../bulk/describe-job.js";
import { followJob } from "../bulk/job.js";
import { type RevertFlags, runRevert } from "../bulk/run-revert.js";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { Failure } from "../failure.js";
import { findById } from "../find/find-connector.js";
import { readCount } from "../input/option-values.js";
import { table } from "../output/table.js";
import { ageText } from "../output/time-text.js";
import { readList } from "../read-list.js";

interface ListFlags {
  type?: string;
  status?: string;
  limit: number;
}

export function addJobs(program: DocumentedCommand, context: CommandContext): void {
  const jobs = program
    .command("jobs")
    .description("imports, extracts, exports and undos")
    .example("muster jobs")
    .example("muster jobs list --type import --status failed");

  jobs
    .command("list", { isDefault: true })
    .description("list the latest jobs")
    .addOption(new Option("--type <type>", "only jobs of this type").choices(JOB_TYPES))
    .addOption(new Option("--status <status>", "only jobs with this status").choices(JOB_STATUSES))
    .option("--limit <count>", "how many at most", readCount, 30)
    .example("muster jobs list --type export")
    .action(async ({ limit, ...filter }: ListFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const all = await readList<Job>(api, `/jobs?${new URLSearchParams(filter)}`, limit);
      show(all, () => listing(all, context.width));
    });

  jobs
    .command("show <id>")
    .description("show one job")
    .example("muster jobs show 018f2c3e9a5c40d2a1000001")
    .action(async (id: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await findJob(api, id), describeJob);
    });

  jobs
    .command("wait <id>")
    .description("wait until a job is done; exits with 1 when it fails or is canceled")
    .example("muster jobs wait 018f2c3e9a5c40d2a1000001")
    .action(async (id: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await followJob(api, await findJob(api, id), context), describeJob);
    });

  jobs
    .command("cancel <id>")
    .description("stop a job, or cancel it before it runs; what it has done stays")
    .example("muster jobs cancel 018f2c3e9a5c40d2a1000001")
    .action(async (id: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const job = await findJob(api, id);
      show(await api.delete<Job>(`/${job.id}`), describeJob);
    });

  jobs
    .command("revert <id>")
    .description("undo an import, or undo an undo: values return to what they were; says first what that means")
    .option("--dry-run", "change nothing; say what would happen")
    .option("--yes", "do not ask first")
    .example("muster jobs revert 018f2c3e9a5c40d2a1000001 --dry-run")
    .action(async (id: string, flags: RevertFlags, command: Command) => {
      const connection = await connect(context, command);
      const { id: found } = await findJob(connection.api, id);
      await runRevert(context, connection, { ...flags, id: found });
    });
}

/** Refuses the id of any other object, because `cancel` would delete that object. */
async function findJob(api: Api, id: string): Promise<Job> {
  const job = await findById<Job>(api, id, "job");
  if (job) return job;
  throw new Failure("refused", `There is no job "${id}". \`muster jobs\` shows the latest.`);
}

function listing(jobs: Job[], width: number | undefined): string {
  if (jobs.length === 0) return "No jobs.";
  // Most jobs reject nothing, so the column would only take room.
  const rejections = jobs.some(({ progress }) => progress.rejected > 0);
  return table(
    ["JOB", "TYPE", "OBJECT", "STATUS", "RECORDS", ...(rejections ? ["REJECTED"] : []), "AGE", "NAME"],
    jobs.map(({ id, type, object, status, progress, created_at, name }) => [
      id,
      type,
      object,
      status,
      progress.processed.toLocaleString("en"),
      ...(rejections ? [progress.rejected.toLocaleString("en")] : []),
      ageText(created_at, Date.now()),
      name,
    ]),
    width,
  );
}
