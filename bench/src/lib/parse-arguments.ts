import { parseArgs } from "node:util";

export interface Arguments {
  name: string | undefined;
  scale: number;
}

/** @example parseArguments(["client", "--scale", "0.1"]) // { name: "client", scale: 0.1 } */
export function parseArguments(args: string[]): Arguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { scale: { type: "string", default: "1" } },
  });
  const scale = Number(values.scale);
  if (!(scale > 0)) throw new Error(`--scale must be a number above 0, not "${values.scale}".`);
  return { name: positionals[0], scale };
}
