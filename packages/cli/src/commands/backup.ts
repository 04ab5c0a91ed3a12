import { once } from "node:events";
import { createReadStream } from "node:fs";
import { readBackup } from "@muster/server/backup-file";
import type { Command } from "commander";
import { type CheckedBackup, checkBackup } from "../backup/check-backup.js";
import { askPassphrase, givenPassphrase } from "../backup/read-passphrase.js";
import { passBackup, refuseSpecialFile, type SavedBackup, saveBackup } from "../backup/save-backup.js";
import { type CommandContext, connect, globalOptions, showWith } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { EXIT_CODES, usageFailure } from "../failure.js";
import { lines } from "../output/table.js";

interface BackupFlags {
  verify?: boolean;
  passphraseFile?: string;
  keys: boolean;
}

export function addBackup(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("backup")
    .description("write a backup of the whole running server to a file, or check one that was written")
    .argument("<file>", "the backup; - is standard output, or standard input with --verify")
    .option("--verify", "check that the file is complete and undamaged; needs no server")
    .option(
      "--passphrase-file <file>",
      "file with the passphrase that seals the key (MUSTER_BACKUP_PASSPHRASE; default: asks for it)",
    )
    .option("--no-keys", "leave the key out; a restore then needs SECRET_KEY")
    .example("muster backup muster.backup")
    .example("muster backup - --passphrase-file backup.pass | ssh vault 'cat > muster.backup'")
    .example("muster backup --verify muster.backup --passphrase-file backup.pass")
    .action((file: string, flags: BackupFlags, command: Command) =>
      flags.verify ? verify(context, command, file, flags) : backUp(context, command, file, flags),
    );
}

async function backUp(context: CommandContext, command: Command, file: string, flags: BackupFlags): Promise<void> {
  if (file === "-" && context.width !== undefined) {
    throw usageFailure("Standard output is a terminal. Write to a file or to a program.");
  }
  if (file !== "-") await refuseSpecialFile(file);
  const passphrase = flags.keys ? await newPassphrase(context, flags) : undefined;
  const { api, show } = await connect(context, command);
  const content = await api.download("/backup", passphrase === undefined ? {} : { passphrase });
  const onProgress = progressOf(context, "saved");
  if (file !== "-") {
    const saved = await saveBackup(content, file, onProgress);
    return show({ file, ...saved }, () => describe(saved, { file, size: sizeText(saved.bytes) }));
  }
  // Other commands ignore that the reader has closed the output, but an incomplete backup is a failure.
  context.stdout.prependListener("error", () => {
    context.warn("The output was closed before the backup was complete.");
    process.exitCode = EXIT_CODES.refused.code;
  });
  const saved = await passBackup(content, { write: (chunk) => writeOut(context, chunk) }, onProgress);
  // Not to standard output, which holds the backup.
  context.warn(describe(saved, { size: sizeText(saved.bytes) }));
}

async function newPassphrase(context: CommandContext, { passphraseFile }: BackupFlags): Promise<string> {
  const given = await givenPassphrase(context, passphraseFile);
  if (given !== undefined) return given;
  if (context.stdin.isTTY) return askPassphrase(context, { twice: true });
  throw usageFailure(
    "The key in the backup is sealed with a passphrase: give --passphrase-file, set MUSTER_BACKUP_PASSPHRASE, or leave the key out with --no-keys.",
  );
}

async function verify(context: CommandContext, command: Command, file: string, flags: BackupFlags): Promise<void> {
  const passphrase = await givenPassphrase(context, flags.passphraseFile);
  const source = file === "-" ? context.stdin : createReadStream(file);
  const checked = await checkBackup(readBackup(source), {
    unpacks: true,
    passphrase,
    onProgress: progressOf(context, "checked"),
  });
  showWith(context, globalOptions(command))({ file, ...checked }, () => describe(checked, { file, state: "whole" }));
}

async function writeOut({ stdout }: CommandContext, chunk: Buffer): Promise<void> {
  if (!stdout.write(chunk)) await once(stdout, "drain");
}

function progressOf(context: CommandContext, verb: string): (done: number, estimated: number) => void {
  let shown = -1;
  return (done, estimated) => {
    // The estimate counts pages of tables, which are not all full.
    const percent = Math.min(99, Math.floor((100 * done) / Math.max(1, estimated)));
    if (percent !== shown) context.progress(`${verb} ${sizeText(done)}, about ${percent} %`);
    shown = percent;
  };
}

const KEYS: Record<CheckedBackup["keys"], string> = {
  none: "not included: a restore needs SECRET_KEY",
  sealed: "sealed with the passphrase",
  opened: "sealed, and the passphrase opens them",
};

function describe(backup: CheckedBackup | SavedBackup, first: Record<string, string>): string {
  return lines({
    ...first,
    "backup of": `${backup.created_at} (Muster ${backup.version})`,
    rows: backup.rows.toLocaleString("en"),
    files: `${backup.files}${backup.lacks_bucket ? ", without the files in the bucket" : ""}`,
    keys: KEYS[backup.keys],
    ...Object.fromEntries(
      backup.organizations.map(({ namespace, position }) => [`position of ${namespace}`, position || "no records"]),
    ),
  });
}

function sizeText(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
