import { Option } from "commander";
import type { CommandContext } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { readJsonObject } from "../../input/read-argument.js";

/** The options that define a segment. */
export interface Definition {
  query?: string;
  predicate?: string;
}

export type SegmentType = "users" | "accounts";

export function typeOption(description: string): Option {
  return new Option("--type <type>", description).choices(["users", "accounts"]);
}

export function withDefinition(command: DocumentedCommand): DocumentedCommand {
  return command
    .option("--query <json>", "query as in a search; @file reads a file, - reads standard input")
    .option("--predicate <json>", "predicate to make the query from; @file and - as above");
}

export async function readDefinition(
  context: CommandContext,
  { query, predicate }: Definition,
): Promise<Record<string, Record<string, unknown>>> {
  if (query === "-" && predicate === "-")
    throw usageFailure("Only one of --query and --predicate can be read from standard input.");
  return {
    ...(query === undefined ? {} : { query: await readJsonObject(context, query, "query") }),
    ...(predicate === undefined ? {} : { predicate: await readJsonObject(context, predicate, "predicate") }),
  };
}
