import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Api } from "../api.js";
import { type CommandContext, connect, globalOptions } from "../command-context.js";
import { confirm } from "../confirm.js";
import { table } from "../output.js";

interface Rebuild {
  organization: string;
  phase: string;
  documents: number;
  changes: number;
  changes_total: number;
}

const LOOK_EVERY_MS = 1_000;

export function addRebuild(program: Command, context: CommandContext): void {
  program
    .command("rebuild")
    .description("rebuild the question engine's data of an organization from PostgreSQL; resumes after a restart")
    .option("--all", "rebuild every organization")
    .option("--no-wait", "do not wait until it is done")
    .option("--yes", "do not ask first")
    .action(async ({ all = false, wait, yes }: { all?: boolean; wait: boolean; yes?: boolean }, command: Command) => {
      const options = globalOptions(command);
      const api = await connect(context, options);
      const whose = all ? "all organizations" : `the organization "${options.org ?? "default"}"`;
      if (!yes) await confirm(`Searches and segments of ${whose} are incomplete until the rebuild is done. Rebuild?`);
      let rebuilds = await api.post<Rebuild[]>("/rebuild", { all });
      if (wait) rebuilds = await untilDone(api, all, context);
      context.print(options.json ? JSON.stringify(rebuilds) : describe(rebuilds));
    });
}

async function untilDone(api: Api, all: boolean, { warn }: CommandContext): Promise<Rebuild[]> {
  let shown = "";
  for (;;) {
    const rebuilds = await api.getAll<Rebuild>(`/rebuild?all=${all}`);
    if (rebuilds.every(({ phase }) => phase === "done")) return rebuilds;
    const progress = rebuilds.map(progressOf).filter(Boolean).join("; ");
    if (progress !== shown) warn(progress);
    shown = progress;
    await sleep(LOOK_EVERY_MS);
  }
}

function progressOf({ organization, phase, documents, changes, changes_total }: Rebuild): string {
  switch (phase) {
    case "requested":
      return `${organization}: waits for a worker`;
    case "documents":
      return `${organization}: ${documents} documents written`;
    case "events":
      return `${organization}: ${changes} of ${changes_total} changes replayed`;
    default:
      return "";
  }
}

function describe(rebuilds: Rebuild[]): string {
  return table(
    ["ORGANIZATION", "PHASE", "DOCUMENTS"],
    rebuilds.map(({ organization, phase, documents }) => [organization, phase, String(documents)]),
  );
}
