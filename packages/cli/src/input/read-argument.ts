import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommandContext } from "../command-context.js";
import { usageFailure } from "../failure.js";

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
    throw usageFailure(`The ${what} is not valid JSON: ${(error as Error).message}.`, error);
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
async function readInput({ stdin, stderr }: CommandContext): Promise<string> {
  if (!stdin.isTTY) return text(stdin);
  stderr.write("Value (not shown): ");
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true });
  try {
    const ended = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    return await Promise.race([terminal.question(""), ended]);
  } finally {
    terminal.close();
    stderr.write("\n");
  }
}
