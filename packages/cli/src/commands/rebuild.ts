import { setTimeout as sleep } from "node:timers/promises";
import type { Rebuild } from "@muster/protocol/api/operations";
import type { Command } from "commander";
import type { Api } from "../api.js";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { confirm } from "../input/confirm.js";
import { table } from "../output/table.js";
import { readList } from "../read-list.js";

interface RebuildFlags {
  all?: boolean;
  wait: boolean;
  status?: boolean;
  yes?: boolean;
}

const LOOK_EVERY_MS = 1_000;

export function addRebuild(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("rebuild")
    .description("rebuild the question engine's data of an organization from PostgreSQL; resumes after a restart")
    .option("--all", "rebuild every organization")
    .option("--wait", "wait until it is done", true)
    .option("--no-wait", "do not wait until it is done")
    .option("--status", "show the progress of the last rebuild, without starting one")
    .option("--yes", "do not ask first")
    .example("muster rebuild --org acme")
    .example("muster rebuild --status --all")
    .action(async ({ all = false, wait, status, yes }: RebuildFlags, command: Command) => {
      const { api, options, show } = await connect(context, command);
      if (status) return show(await readList<Rebuild>(api, `/rebuild?all=${all}`), describe);
      const whose = all ? "all organizations" : `the organization "${options.org ?? "default"}"`;
      await confirm(
        context,
        `Searches and segments of ${whose} are incomplete until the rebuild is done. Rebuild?`,
        yes,
      );
      let rebuilds = await api.post<Rebuild[]>("/rebuild", { all });
      if (wait) rebuilds = await untilDone(api, all, context);
      show(rebuilds, describe);
    });
}

async function untilDone(api: Api, all: boolean, { progress }: CommandContext): Promise<Rebuild[]> {
  for (;;) {
    const rebuilds = await readList<Rebuild>(api, `/rebuild?all=${all}`);
    progress(rebuilds.map(progressOf).filter(Boolean).join("; "));
    if (rebuilds.every(({ phase }) => phase === "done")) return rebuilds;
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
