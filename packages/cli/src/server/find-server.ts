import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readServerNote } from "@muster/server/server-note";
import { Failure, usageFailure } from "../failure.js";
import { requireProof } from "./require-proof.js";

/** A server, and the token of its operator. */
export interface FoundServer {
  url: string;
  token: string;
}

/** What the operator has given. */
export interface ServerHints {
  dataDir: string;
  /** From `--url` or `MUSTER_URL`. */
  url: string | undefined;
  /** From `MUSTER_ADMIN_TOKEN`. */
  token: string | undefined;
}

/**
 * Finds the server of the data directory and the admin token. Both may be given by the operator instead. Unless both are,
 * the server must prove that it runs with the data directory: another program may listen at an address that a crashed
 * server has left behind, or that somebody has typed.
 */
export async function findServer({ dataDir, url: givenUrl, token: givenToken }: ServerHints): Promise<FoundServer> {
  if (givenUrl !== undefined && givenToken !== undefined) return { url: givenUrl, token: givenToken };
  const token = givenToken ?? (await readToken(dataDir));
  const note = await readServerNote(dataDir);
  const url = givenUrl ?? note?.url;
  if (url === undefined) {
    throw new Failure(
      "unreachable",
      `No server is running with the data directory ${dataDir}. Start one with \`muster start\`, name another directory with --data-dir or DATA_DIR, or name a server with --url or MUSTER_URL.`,
    );
  }
  await requireProof(url, note, dataDir);
  return { url, token };
}

async function readToken(directory: string): Promise<string> {
  const file = join(directory, "admin.token");
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw usageFailure(
        `There is no admin token at ${file}. Start the server once, name its data directory with --data-dir or DATA_DIR, or set MUSTER_ADMIN_TOKEN.`,
      );
    }
    if (code === "EACCES") {
      throw new Failure(
        "refused",
        `You may not read the admin token at ${file}: run this as the user that runs the server.`,
      );
    }
    throw error;
  }
}
