import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { CommandContext } from "../command-context.js";

/** Asks on the terminal and does not show what is typed: a line for each question, empty after the end of the input. */
export async function askHidden({ stdin, stderr }: CommandContext, ...questions: string[]): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true });
  // One reader for all answers, because pasted lines can arrive before the second question is asked.
  const lines = terminal[Symbol.asyncIterator]();
  try {
    const answers: string[] = [];
    for (const question of questions) {
      stderr.write(question);
      const { value, done } = await lines.next();
      stderr.write("\n");
      answers.push(done ? "" : value);
    }
    return answers;
  } finally {
    terminal.close();
  }
}
