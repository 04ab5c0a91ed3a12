import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process environment, over the `.env` file in the working directory. The only reader of settings in `process.env`. */
export function readEnvironment(envFile = ".env"): Environment {
  let fromFile: Environment = {};
  try {
    // `parseEnv` says that a value may be anything Node calls a dictionary; a `.env` file holds only texts.
    fromFile = parseEnv(readFileSync(envFile, "utf8")) as Environment;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return { ...fromFile, ...process.env };
}
