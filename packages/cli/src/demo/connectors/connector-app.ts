import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../failure.js";
import { PACKAGE_FOLDER } from "../../package-folder.js";

/** The connectors that come with Muster are in its repository, beside the packages; npm packages do not have them. */
const APPS = join(PACKAGE_FOLDER, "../../connector-apps");
const LONGEST_START_MS = 60_000;

export interface RunningApp {
  url: string;
  stop(): Promise<void>;
}

export function areAppsBuilt(names: readonly string[]): boolean {
  return names.every((name) => existsSync(programOf(name)));
}

/** Starts a connector that comes with Muster as a process of its own, and waits until it answers. */
export async function startApp(
  name: string,
  port: number,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<RunningApp> {
  const app = spawn(process.execPath, [programOf(name)], {
    env: { ...environment, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let problem = "";
  app.stderr.setEncoding("utf8").on("data", (text: string) => {
    problem = (problem + text).slice(-1_000);
  });
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = Date.now() + LONGEST_START_MS;
  const isStopped = () => app.exitCode !== null || app.signalCode !== null || signal.aborted;
  // An answer may come from another program at this port. Then our own process has stopped.
  while (!(await answers(url)) || isStopped()) {
    if (isStopped() || Date.now() > giveUpAt) {
      await stop(app);
      signal.throwIfAborted();
      throw new Failure("refused", `The connector ${name} did not start on port ${port}: ${problem.trim()}`);
    }
    await sleep(50);
  }
  return { url, stop: () => stop(app) };
}

async function answers(url: string): Promise<boolean> {
  return (await fetch(`${url}/manifest.json`).catch(() => undefined))?.ok ?? false;
}

async function stop(app: ChildProcess): Promise<void> {
  if (app.exitCode !== null || app.signalCode !== null) return;
  const ended = once(app, "exit");
  app.kill();
  await ended;
}

function programOf(name: string): string {
  return join(APPS, name, "dist/main.js");
}
