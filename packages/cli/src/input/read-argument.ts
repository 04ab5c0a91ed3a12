import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { describeJsonFault, reasonOf } from "@muster/protocol";
import type { CommandContext } from "../command-context.js";
import { usageFailure } from "../failure.js";
import { askHidden } from "./ask-hidden.js";

/** The text that an argument stands for: `@file` is the content of a file, `-` is standard input. */
export async function readArgument(context: CommandContext, given: string): Promise<string> {
  if (given === "-") return readInput(context);
  return given.startsWith("@") ? readFileText(given.slice(1)) : given;
}

/** A JSON object from an argument, which may be `@file` or `-`. */
export async function readJsonObject(
  context: CommandContext,
  given: string,
  what: string,
): Promise<Record<string, unknown>> {
  const content = await readArgument(context, given);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw usageFailure(`The ${what} is not valid JSON: ${describeJsonFault(content) ?? reasonOf(error)}.`, error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw usageFailure(`The ${what} must be a JSON object.`);
}

async function readFileText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw usageFailure(`The file ${file} cannot be read: ${(error as Error).message}.`, error);
  }
}

/** Everything on standard input. On a terminal it is one line, which is not shown: it may be a secret. */
async function readInput(context: CommandContext): Promise<string> {
  if (!context.stdin.isTTY) return text(context.stdin);
  const [answer = ""] = await askHidden(context, "Value (not shown): ");
  return answer;
}
