import { createInterface } from "node:readline/promises";
import type { CommandContext } from "../command-context.js";
import { Failure } from "../failure.js";
import { printableCell } from "../output/printable.js";

/** Asks on the terminal, unless `yes` is set. Throws unless the answer is yes, and when there is no terminal. */
export async function confirm(context: CommandContext, question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  const answer = await ask(context, `${question} [y/N] `, question);
  if (!/^y(es)?$/i.test(answer.trim())) throw nothingChanged();
}

/** Asks the person to type a text. Throws when another text is typed, and when there is no terminal. */
export async function confirmByTyping(context: CommandContext, warning: string, expected: string): Promise<void> {
  const answer = await ask(context, `${warning} Type ${expected} to do it: `, warning);
  if (answer.trim() !== expected) throw nothingChanged();
}

function nothingChanged(): Failure {
  return new Failure("unconfirmed", "Nothing was changed.");
}

async function ask({ stdin, stderr }: CommandContext, question: string, matter: string): Promise<string> {
  if (!stdin.isTTY) {
    throw new Failure("unconfirmed", `${matter} There is no terminal to ask on: add --yes to do it.`);
  }
  // The question is written to standard error, so that it is not part of the command's output.
  const terminal = createInterface({ input: stdin, output: stderr });
  // The end of the input answers no; without this the question would wait for ever.
  const ended = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  try {
    // A name in the question may hold escape sequences, which could hide what is asked.
    return await Promise.race([terminal.question(printableCell(question)), ended]);
  } finally {
    terminal.close();
  }
}
