import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import type { Environment } from "@muster/server/environment";
import { Failure } from "./failure.js";

// The question engine runs on libuv's threads, of which Node starts only four by default.
const THREAD_POOL_SIZE = "16";
const FORWARDED: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The file of a program of the server, which a clone has only after a build. */
export function serverProgram(name = "@muster/server"): string {
  const file = resolveFile(name);
  if (file === undefined) {
    throw new Failure(
      "refused",
      "This command was installed without the server. Start the server in the folder of its clone, with `npm start`; there, `npx muster` has this command too.",
    );
  }
  if (existsSync(file)) return file;
  throw new Failure("refused", `The server is not built yet: there is no ${file}. Run \`npm run build\` first.`);
}

/** Undefined when the package is not installed beside the command. */
function resolveFile(name: string): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Runs a program of the server in a child process, passes our signals on to it, and returns its exit code. */
export async function runServer(args: string[], environment: Environment, program = "@muster/server"): Promise<number> {
  const child = spawn(process.execPath, ["--enable-source-maps", serverProgram(program), ...args], {
    stdio: "inherit",
    env: { UV_THREADPOOL_SIZE: THREAD_POOL_SIZE, ...environment },
  });
  // The server does not handle SIGHUP, which a closed terminal sends. It is passed on as a request to stop.
  const forward = (signal: NodeJS.Signals) => child.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
  for (const signal of FORWARDED) process.on(signal, forward);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
    });
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}
