import { createInterface } from "node:readline/promises";

/** Asks on the terminal and throws unless the answer is yes. Throws without a terminal too. */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Error(`${question} There is no terminal to ask on: add --yes to do it.`);
  // The question is written to standard error, so that it is not part of the command's output.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Error("Nothing was changed.");
  } finally {
    terminal.close();
  }
}
