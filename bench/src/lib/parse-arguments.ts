import { parseArgs } from "node:util";

export interface Arguments {
  name: string | undefined;
  scale: number;
  seconds: number | undefined;
  only: string | undefined;
}

/** @example parseArguments(["client", "--scale", "0.1"]) // { name: "client", scale: 0.1, … } */
export function parseArguments(args: string[]): Arguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { scale: { type: "string", default: "1" }, seconds: { type: "string" }, only: { type: "string" } },
  });
  const seconds = values.seconds === undefined ? undefined : positive("seconds", values.seconds);
  return { name: positionals[0], scale: positive("scale", values.scale), seconds, only: values.only };
}

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, not "${value}".`);
  return number;
}
