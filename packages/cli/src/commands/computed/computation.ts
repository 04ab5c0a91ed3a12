import { ATTRIBUTE_TYPES } from "@muster/protocol/api/choices";
import { Option } from "commander";
import type { CommandContext } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { readArgument, readJsonObject } from "../../input/read-argument.js";

/** The options that say what is computed. */
export interface ComputationFlags {
  compute?: string;
  formula?: string;
}

export type Target = "user" | "account";

export function targetOption(description: string): Option {
  return new Option("--target <target>", description).choices(["user", "account"]);
}

export function typeOption(): Option {
  return new Option("--type <type>", "type of the values, where it is not known").choices([...ATTRIBUTE_TYPES]);
}

export function withComputation(command: DocumentedCommand): DocumentedCommand {
  return command
    .option("--compute <json>", "what is computed, as in the API; @file reads a file, - reads standard input")
    .option("--formula <text>", "an expression over other attributes, instead of --compute; @file and - as above");
}

/** What the options say is computed. Undefined when they say nothing. */
export async function readComputation(
  context: CommandContext,
  { compute, formula }: ComputationFlags,
): Promise<Record<string, unknown> | undefined> {
  if (compute !== undefined && formula !== undefined) throw usageFailure("Give one of --compute and --formula.");
  if (formula !== undefined) return { formula: (await readArgument(context, formula)).trim() };
  return compute === undefined ? undefined : readJsonObject(context, compute, "computation");
}

export async function needComputation(
  context: CommandContext,
  flags: ComputationFlags,
): Promise<Record<string, unknown>> {
  const compute = await readComputation(context, flags);
  if (compute === undefined) throw usageFailure("Give --compute or --formula.");
  return compute;
}
