import { createHmac } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeWholeFile } from "./write-whole-file.js";

// This file is an entry of the package: the `muster` command reads what the server writes.

/** What a running server notes in its data directory, for the `muster` command on the same machine. */
export interface ServerNote {
  /** Where a program on this machine reaches the server. */
  url: string;
  /** A secret of this process. Whoever knows it is the server of the data directory: each start makes a new one. */
  key: string;
}

const FILE = "server.json";

export function writeServerNote(dataDir: string, note: ServerNote): Promise<void> {
  return writeWholeFile(join(dataDir, FILE), `${JSON.stringify(note)}\n`);
}

export function removeServerNote(dataDir: string): Promise<void> {
  return rm(join(dataDir, FILE), { force: true });
}

/** Undefined when no server runs with the directory. After a crash the note is still there, and nobody has its key. */
export async function readServerNote(dataDir: string): Promise<ServerNote | undefined> {
  const text = await readFile(join(dataDir, FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  // The server replaces the file as a whole, so what is there is what it has written.
  return text === undefined ? undefined : (JSON.parse(text) as ServerNote);
}

/** What the server with this key answers to a challenge. Nobody else can, and the answer does not reveal the key. */
export function proofOf(key: string, challenge: string): string {
  return createHmac("sha256", key).update(`muster server ${challenge}`).digest("hex");
}
