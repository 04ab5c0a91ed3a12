import { parseArgs } from "node:util";
import type { BenchOptions } from "./bench.js";

export interface Arguments extends BenchOptions {
  name: string | undefined;
  /** The folder for files with measurements; without it, the folder for temporary files. */
  out: string | undefined;
  help: boolean;
}

/** @example parseArguments(["client", "--scale", "0.1"]) // { name: "client", scale: 0.1, seconds: undefined, … } */
export function parseArguments(args: string[]): Arguments {
  const { values, positionals } = parseArgs({
    // People give npm more than one `--`. After it, options would be read as names.
    args: args.filter((argument) => argument !== "--"),
    allowPositionals: true,
    options: {
      scale: { type: "string", default: "1" },
      seconds: { type: "string" },
      minutes: { type: "string" },
      seed: { type: "string" },
      only: { type: "string" },
      out: { type: "string" },
      users: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const given = (name: "seconds" | "minutes" | "seed" | "users") => {
    const value = values[name];
    return value === undefined ? undefined : positive(name, value);
  };
  return {
    name: positionals[0],
    scale: positive("scale", values.scale),
    seconds: given("seconds"),
    minutes: given("minutes"),
    seed: given("seed"),
    only: values.only,
    users: given("users"),
    out: values.out,
    help: values.help,
  };
}

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, not "${value}".`);
  return number;
}
