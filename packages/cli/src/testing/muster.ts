import { PassThrough } from "node:stream";
import { createOutput, type OutputStream } from "../output/output.js";
import { run } from "../run.js";

export interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  environment?: Record<string, string>;
  /** What is on standard input. */
  input?: string;
  /** The width of a terminal. Without it the command has none. */
  terminal?: number;
  signal?: AbortSignal;
  /** Called with all of the output so far, whenever there is more. */
  onOutput?(stdout: string): void;
}

/** Runs the command in this process, with streams of its own. */
export async function muster(args: readonly string[], options: RunOptions = {}): Promise<Result> {
  const { environment = {}, input = "", terminal, signal = new AbortController().signal, onOutput } = options;
  const texts = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof texts): OutputStream => {
    const written = new PassThrough().setEncoding("utf8");
    written.on("data", (text: string) => {
      texts[name] += text;
      if (name === "stdout") onOutput?.(texts.stdout);
    });
    return terminal === undefined ? written : Object.assign(written, { isTTY: true, columns: terminal });
  };
  const [stdout, stderr] = [stream("stdout"), stream("stderr")];
  const stdin = Object.assign(new PassThrough(), terminal === undefined ? {} : { isTTY: true });
  stdin.end(input);
  const code = await run(args, { ...createOutput(stdout, stderr), environment, stdin, stdout, stderr, signal });
  return { code, ...texts };
}
