import { createInterface } from "node:readline/promises";

/** Asks on the terminal and throws unless the answer is yes; without a terminal nobody can be asked. */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Error(`${question} Nobody can be asked here: add --yes to do it.`);
  // The question goes beside the answer of the command, not into it.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Error("Nothing was changed.");
  } finally {
    terminal.close();
  }
}
