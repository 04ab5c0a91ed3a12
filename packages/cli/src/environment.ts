import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process environment over the `.env` file that the server reads too. The only reader of `process.env`. */
export function readEnvironment(envFile = ".env"): Environment {
  let fromFile: Environment = {};
  try {
    fromFile = parseEnv(readFileSync(envFile, "utf8")) as Environment;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return { ...fromFile, ...process.env };
}
