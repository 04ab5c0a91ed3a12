import { readFile } from "node:fs/promises";
import type { CommandContext } from "../command-context.js";
import { usageFailure } from "../failure.js";
import { askHidden } from "../input/ask-hidden.js";

/** The passphrase from a file or from MUSTER_BACKUP_PASSPHRASE; undefined when neither is given. */
export async function givenPassphrase(
  { environment }: CommandContext,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return environment.MUSTER_BACKUP_PASSPHRASE || undefined;
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (error) {
    throw usageFailure(`The file ${file} cannot be read: ${(error as Error).message}.`, error);
  }
  // Editors end a file with a line break, which is not part of the passphrase.
  const passphrase = content.replace(/\r?\n$/, "");
  if (passphrase === "") throw usageFailure(`The file ${file} has no passphrase.`);
  return passphrase;
}

/** Asks for a passphrase on the terminal; `twice` for a new one, because a mistake would make the backup useless. */
export async function askPassphrase(context: CommandContext, { twice }: { twice: boolean }): Promise<string> {
  const questions = ["Passphrase of the backup (not shown): ", ...(twice ? ["Repeat the passphrase: "] : [])];
  const [passphrase = "", again = passphrase] = await askHidden(context, ...questions);
  if (again !== passphrase) throw usageFailure("The two passphrases differ.");
  if (passphrase === "") throw usageFailure("A passphrase is needed.");
  return passphrase;
}
