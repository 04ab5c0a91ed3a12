import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readServerNote } from "@muster/server/server-note";
import { dataDirectory, type GlobalOptions, givenUrl, type Surroundings } from "../command-context.js";
import { usageFailure } from "../failure.js";
import { requireProof } from "../server/require-proof.js";

const LIBRARY = "@muster/connector";

/**
 * Where npm gets the library for a new connector: from the server that the command talks to, which has it in its own
 * version. Undefined without a server when the folder finds the library already, as every folder of the clone does.
 */
export async function libraryAddress(
  context: Surroundings,
  options: GlobalOptions,
  parent: string,
): Promise<string | undefined> {
  const url = givenUrl(context, options) ?? (await notedUrl(dataDirectory(context, options)));
  if (url !== undefined) return `${url}/packages/connector.tgz`;
  if (isFoundFrom(resolve(parent))) return undefined;
  throw usageFailure(
    `Name the server that has ${LIBRARY} for the new connector with --url or MUSTER_URL, such as --url http://127.0.0.1:8080. No registry has it.`,
  );
}

/** npm will run what it gets from there, so it must be the server of the data directory. */
async function notedUrl(directory: string): Promise<string | undefined> {
  const note = await readServerNote(directory);
  if (note) await requireProof(note.url, note, directory);
  return note?.url;
}

function isFoundFrom(folder: string): boolean {
  if (existsSync(join(folder, "node_modules", LIBRARY))) return true;
  return dirname(folder) !== folder && isFoundFrom(dirname(folder));
}
