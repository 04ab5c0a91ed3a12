import { reasonOf } from "@muster/protocol";
import { CommanderError } from "commander";
import type { CommandContext } from "./command-context.js";
import { EXIT_CODES, Exit, Failure } from "./failure.js";
import { createProgram } from "./program.js";

/** Runs the command with these arguments. Writes the reason of a failure and returns the exit code. */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    await createProgram(context).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage.code;
    context.progress("");
    if (error instanceof Exit) return error.exitCode;
    // A person can act on the message of every error; a stack trace would hide it.
    context.warn(reasonOf(error));
    return error instanceof Failure ? error.exitCode : EXIT_CODES.refused.code;
  }
}
