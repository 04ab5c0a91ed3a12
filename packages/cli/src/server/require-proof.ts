import { randomBytes } from "node:crypto";
import { proofOf, type ServerNote } from "@muster/server/server-note";
import { reach } from "../api.js";
import { Failure } from "../failure.js";

/**
 * Refuses a server that does not run with the data directory. It gets a random challenge and answers with a proof that
 * needs the key in the directory, so that nothing secret is sent before it is known.
 */
export async function requireProof(url: string, note: ServerNote | undefined, directory: string): Promise<void> {
  const challenge = randomBytes(32).toString("hex");
  const response = await reach(`${url}/proof?challenge=${challenge}`, { redirect: "error" });
  const answer = (await response.json().catch(() => undefined)) as { proof?: unknown } | undefined;
  if (note !== undefined && answer?.proof === proofOf(note.key, challenge)) return;
  throw new Failure("refused", explain(url, note, directory));
}

function explain(url: string, note: ServerNote | undefined, directory: string): string {
  const refusal = `What answers at ${url} is not the server of the data directory ${directory}, so the admin token was not sent.`;
  if (note === undefined) {
    return `${refusal} No server is running with that directory: name the right one with --data-dir or DATA_DIR, or set MUSTER_ADMIN_TOKEN to the token of the server at that address.`;
  }
  if (note.url !== url) return `${refusal} The server of that directory is at ${note.url}.`;
  return `${refusal} The server of that directory has ended without a clean stop, and another program has taken its port. Start it again with \`muster start\`.`;
}
