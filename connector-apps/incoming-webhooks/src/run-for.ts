import { type Context, TransientError } from "@muster/connector";
import { runScript, type SandboxRun, SandboxUnavailable, type ScriptInput } from "@muster/sandbox";

/**
 * Runs a script of the organization that the context is about. Organizations take turns. Rejects with a transient error
 * when the turn does not come: the sender of the webhook may send it again.
 */
export function runFor({ client }: Context, code: string, input: ScriptInput): Promise<SandboxRun> {
  return runScript(code, input, { owner: client.configuration().organization }).catch((error: unknown) => {
    throw error instanceof SandboxUnavailable ? new TransientError(error.message, { cause: error }) : error;
  });
}
