import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";

/** What the server under test can do, by its own list of settings. */
export interface ServerAbilities {
  roles: readonly string[];
  settings: readonly string[];
}

export async function readServerAbilities(): Promise<ServerAbilities> {
  const main = createRequire(import.meta.url).resolve("@muster/server");
  const { stdout } = await promisify(execFile)(process.execPath, [main, "--print-config"], {
    env: { PATH: process.env.PATH },
  });
  // The server prints a list of its settings.
  const lines = JSON.parse(stdout) as { env: string; default?: string }[];
  return {
    roles: lines.find(({ env }) => env === "ROLES")?.default?.split(",") ?? [],
    settings: lines.map(({ env }) => env),
  };
}
