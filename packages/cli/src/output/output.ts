import { once } from "node:events";
import type { Writable } from "node:stream";
import { printableJson, printableText } from "./printable.js";

/** A stream that may be a terminal. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

/** Where a command writes: `print` writes its output, `warn` writes to the person and is never part of the output. */
export interface Output {
  print(text: string): void;
  /** Prints the value as one line of JSON. */
  printJson(value: unknown): void;
  warn(text: string): void;
  /** Shows the progress in place of the last one. Shows nothing without a terminal. */
  progress(text: string): void;
  /** Resolves when the reader of the output can take more. */
  drained(): Promise<void>;
  /** Columns of the terminal, or undefined when the output goes to a file or a program. */
  width: number | undefined;
}

/** Writes to the streams. Nothing in a text can make the terminal do more than show it. */
export function createOutput(stdout: OutputStream, stderr: OutputStream): Output {
  let isProgressShown = false;
  const clear = () => {
    if (isProgressShown) stderr.write("\r\u001b[2K");
    isProgressShown = false;
  };
  return {
    print(text) {
      clear();
      stdout.write(`${printableText(text)}\n`);
    },
    printJson(value) {
      clear();
      stdout.write(`${printableJson(value)}\n`);
    },
    warn(text) {
      clear();
      stderr.write(`${printableText(text)}\n`);
    },
    progress(text) {
      clear();
      if (!stderr.isTTY || text === "") return;
      stderr.write(printableText(text));
      isProgressShown = true;
    },
    async drained() {
      if (stdout.writableNeedDrain) await once(stdout, "drain");
    },
    width: stdout.isTTY ? stdout.columns : undefined,
  };
}
