import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readCatalogue } from "@muster/destinations/catalogue";
import { isUpToDate } from "@muster/destinations/install";
import { Refusal } from "@muster/protocol";
import type { DestinationInstallation } from "@muster/protocol/api/catalogue";
import type { Logger } from "pino";
import { findChild } from "../outbound/bundled/find-child.js";
import type { InstallationNote } from "../outbound/bundled/installation-note.js";

export interface DestinationInstallerOptions {
  /** Where the package is installed. */
  folder: string;
  /** Why this process cannot install for the whole server, in a sentence; undefined when it can. */
  refusal: string | undefined;
  logger: Logger;
}

/** What an operator runs on a machine instead. */
const COMMAND = "npx muster destinations start";
/** Variables that npm needs. The others hold secrets of the server. */
const PASSED_ON =
  /^(?:PATH|HOME|TZ|LANG|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|(?:https?|no)_proxy|npm_config_.*)$/i;
const STOP_MS = 5_000;

/**
 * Installs the package of destinations when the operator asks for it in the gallery, in a child process: npm fetches it, and then
 * all of its code is loaded once to write down what the destinations declare. The command of the CLI runs the same program.
 */
export class DestinationInstaller {
  readonly #options: DestinationInstallerOptions;
  #child: ChildProcess | undefined;
  #step: string | undefined;
  #problem: string | undefined;

  constructor(options: DestinationInstallerOptions) {
    this.#options = options;
  }

  get state(): DestinationInstallation {
    const { folder, refusal = null } = this.#options;
    const catalogue = readCatalogue(folder);
    const isInstalling = this.#child !== undefined;
    return {
      state: isInstalling ? "installing" : this.#problem !== undefined ? "failed" : catalogue ? "installed" : "none",
      version: catalogue?.version ?? null,
      destinations: catalogue?.destinations.length ?? 0,
      is_current: catalogue !== undefined && isUpToDate(installationFiles(), folder),
      step: isInstalling ? (this.#step ?? "Starting") : null,
      problem: isInstalling ? null : (this.#problem ?? null),
      refusal,
      command: COMMAND,
    };
  }

  /** Starts the installation, unless it runs. Its end is seen in the state. */
  start(): DestinationInstallation {
    const { refusal } = this.#options;
    if (refusal !== undefined) throw new Refusal("conflict", refusal);
    if (!this.#child) this.#run();
    return this.state;
  }

  /** An installation that is interrupted begins anew the next time. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const ended = once(child, "close");
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  #run(): void {
    const { folder, logger } = this.#options;
    // The user of a service often has no home folder that can be written.
    const cache = join(folder, "npm-cache");
    const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
    const child = spawn(process.execPath, [...findChild("destinations-program").command, folder], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { npm_config_cache: cache, ...Object.fromEntries(passed) },
    });
    this.#child = child;
    this.#step = undefined;
    this.#problem = undefined;
    child.on("message", (note: InstallationNote) => {
      if ("step" in note) this.#step = note.step;
      else this.#problem = note.problem;
    });
    child.once("error", (error) => {
      this.#problem = `The installation cannot be started: ${error.message}`;
    });
    child.once("close", async (code) => {
      if (code !== 0)
        this.#problem ??= `The installation ended with code ${code}. On the machine, \`${COMMAND}\` shows why.`;
      await rm(cache, { recursive: true, force: true });
      this.#child = undefined;
      if (this.#problem === undefined) logger.info({ folder }, "the package of destinations is installed");
      else logger.warn({ folder, reason: this.#problem }, "the package of destinations cannot be installed");
    });
  }
}

function installationFiles(): string {
  return join(findChild().connectorsFolder, "destinations/installation");
}
