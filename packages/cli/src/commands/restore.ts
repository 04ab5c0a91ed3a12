import type { Command } from "commander";
import { askPassphrase, givenPassphrase } from "../backup/read-passphrase.js";
import { type CommandContext, connect, globalOptions } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { Exit, usageFailure } from "../failure.js";
import { runServer } from "../server-process.js";

interface RestoreFlags {
  passphraseFile?: string;
  callConnectors?: boolean;
  resumeDeliveries?: boolean;
}

export function addRestore(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("restore")
    .description(
      "restore a backup into an empty data directory, and into the empty database of DATABASE_URL if it is set",
    )
    .argument("[file]", "the backup; - is standard input")
    .option(
      "--passphrase-file <file>",
      "file with the passphrase of the backup (MUSTER_BACKUP_PASSPHRASE; default: asks)",
    )
    .option(
      "--call-connectors",
      "let the restored server call connectors at once; only if the original server is gone for good",
    )
    .option("--resume-deliveries", "let a running server that was restored call connectors from now on; takes no file")
    .example("muster restore muster.backup --data-dir /var/lib/muster")
    .example("muster restore --resume-deliveries")
    .action(async (file: string | undefined, flags: RestoreFlags, command: Command) => {
      if (flags.resumeDeliveries) return resume(context, command, file);
      if (file === undefined) throw usageFailure("Name the file of the backup.");
      const { dataDir, json } = globalOptions(command);
      const passphrase = await passphraseOf(context, file, flags);
      const code = await runServer(
        [
          "--file",
          file,
          ...(dataDir === undefined ? [] : ["--data-dir", dataDir]),
          ...(flags.callConnectors ? ["--call-connectors"] : []),
          ...(json ? ["--json"] : []),
        ],
        { ...context.environment, ...(passphrase === undefined ? {} : { MUSTER_BACKUP_PASSPHRASE: passphrase }) },
        "@muster/server/restore",
      );
      if (code !== 0) throw new Exit(code);
    });
}

/** Not needed when SECRET_KEY is set to the key of the backup. */
async function passphraseOf(context: CommandContext, file: string, flags: RestoreFlags): Promise<string | undefined> {
  const given = await givenPassphrase(context, flags.passphraseFile);
  const asks = given === undefined && context.environment.SECRET_KEY === undefined;
  return asks && file !== "-" && context.stdin.isTTY ? askPassphrase(context, { twice: false }) : given;
}

async function resume(context: CommandContext, command: Command, file: string | undefined): Promise<void> {
  if (file !== undefined) throw usageFailure("--resume-deliveries is about the running server and takes no file.");
  const { api, show } = await connect(context, command);
  const answer = await api.post<{ resumed: boolean }>("/deliveries/resume");
  show(answer, ({ resumed }) => (resumed ? "Connectors are called from now on." : "Connectors were called already."));
}
