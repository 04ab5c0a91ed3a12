import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MUSTER } from "../../support/muster-process.js";
import { jsonProblem, textProblem } from "./expected-output.js";
import { REPOSITORY, readPage } from "./guide-pages.js";
import { LocalPorts } from "./local-ports.js";
import { openPageServer, type PageServer, SharedServer } from "./page-server.js";
import { type Block, readBlocks } from "./read-blocks.js";
import { type ShellResult, ShellSession } from "./shell-session.js";

/** Settings that a page asks its reader to start the server with: `<!-- server: DELIVERY_ATTEMPTS=2 -->`. */
const SETTINGS = /^<!-- server: (.+) -->$/m;
const CACHE = join(REPOSITORY, "node_modules/.cache/guides");

/** Pages that need a server of their own, and why. A page with settings has its own server anyway. */
const OWN_SERVER: Record<string, string> = {
  "README.md": "It creates an organization with a name that another page creates too.",
  "docs/connectors/webhooks.md": "Its connectors accept calls of localhost alone.",
  "docs/connectors/writing.md": "Its connector accepts calls of localhost alone.",
  "docs/demo.md": "Its connectors accept calls of the address that the command was given alone.",
  "docs/operations/backup.md": "A backup holds all organizations.",
  "docs/operations/monitoring.md": "It shows the metrics of the whole server.",
  "docs/operations/running.md": "It examines the whole server.",
  "docs/operations/several-machines.md": "It examines the whole server.",
  "docs/operations/sizing.md": "It examines the whole server.",
  "docs/operations/upgrades.md": "It examines the whole server.",
  "examples/connector/README.md": "Its connector accepts calls of localhost alone.",
};

/** Starts the command of this repository at once, where npx would look for it first. */
const NPX = `#!/bin/sh
if [ "$1" = muster ]; then shift; exec "${process.execPath}" "${MUSTER}" "$@"; fi
PATH=$(printf %s "$PATH" | cut -d: -f2-) exec npx "$@"
`;

export async function openSharedServer(): Promise<SharedServer> {
  const home = join(CACHE, "shared-server");
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  return new SharedServer(join(home, "data"));
}

/**
 * Runs the blocks of a page from top to bottom, against an organization or a server of its own. Throws at the first one that
 * does not work. Returns how many were run: all of them but those that another test runs by their name.
 */
export async function runPage(page: string, shared: SharedServer): Promise<number> {
  const markdown = readPage(page);
  const { blocks, problems } = readBlocks(page, markdown);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const own = blocks.filter(({ kind }) => kind !== "named");
  if (own.length === 0) return 0;

  const home = join(CACHE, page.replaceAll("/", "_").replace(/\.md$/, ""));
  const [folder, notes, programs] = [join(home, "page"), join(home, "notes"), join(home, "programs")];
  await rm(home, { recursive: true, force: true });
  for (const each of [folder, notes, programs]) await mkdir(each, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  for (const shared of ["examples", "connector-apps"]) await symlink(join(REPOSITORY, shared), join(folder, shared));
  await writeFile(join(programs, "npx"), NPX);
  await chmod(join(programs, "npx"), 0o755);

  const dataDir = join(folder, "data");
  const [, asked = ""] = SETTINGS.exec(markdown) ?? [];
  const settings = Object.fromEntries([...asked.matchAll(/(\w+)=(\S*)/g)].map(([, name, value]) => [name, value]));
  const hasOwn = page in OWN_SERVER || asked !== "";
  const server = hasOwn ? await openPageServer(dataDir, settings) : await shared.openPage();
  if (!hasOwn) await symlink(server.dataDir, dataDir);
  const shell = new ShellSession({
    folder,
    notes,
    environment: {
      PATH: `${programs}:${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
      HOME: process.env.HOME ?? home,
      LANG: "C.UTF-8",
      NO_COLOR: "1",
      npm_config_loglevel: "error",
      MUSTER_URL: server.url,
      DATA_DIR: dataDir,
    },
  });
  try {
    await new BlockRunner(server, shell, folder).run(own);
  } finally {
    await shell.close();
    await server.close();
  }
  // The folder of a page that failed stays, to look at.
  await rm(home, { recursive: true, force: true });
  return own.length;
}

class BlockRunner {
  readonly #server: PageServer;
  readonly #shell: ShellSession;
  readonly #folder: string;
  readonly #ports: LocalPorts;
  /** What the last sh block or query has printed. */
  #last: Pick<ShellResult, "stdout" | "stderr"> = { stdout: "", stderr: "" };

  constructor(server: PageServer, shell: ShellSession, folder: string) {
    this.#server = server;
    this.#shell = shell;
    this.#folder = folder;
    this.#ports = new LocalPorts(Number(new URL(server.url).port));
  }

  async run(blocks: readonly Block[]): Promise<void> {
    for (const block of blocks) {
      const problem = await this.#problemOf(block, await this.#ports.replaceIn(block.text));
      if (problem !== undefined) throw new Error(this.#explain(block, problem));
    }
  }

  async #problemOf({ kind, name, language }: Block, text: string): Promise<string | undefined> {
    switch (kind) {
      case "file": {
        const path = join(this.#folder, name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text);
        return undefined;
      }
      case "run": {
        const result = await this.#shell.run(text);
        this.#last = result;
        return result.ok ? undefined : "a command failed.";
      }
      case "output":
        return language === "json"
          ? jsonProblem(text, this.#last.stdout)
          : textProblem(text, `${this.#last.stdout}\n${this.#last.stderr}`);
      case "query":
        return this.#ask("/search/user_reports", text);
      case "predicate": {
        const predicate = `{ "predicate": ${text} }`;
        return (await this.#ask("/segments/convert", predicate)) ?? (await this.#ask("/segments/count", predicate));
      }
      default:
        return "another test runs it.";
    }
  }

  async #ask(path: string, body: string): Promise<string | undefined> {
    const response = await fetch(`${this.#server.url}/api/v1${path}`, {
      method: "POST",
      headers: { ...this.#server.connectorHeaders, "content-type": "application/json" },
      body,
    });
    this.#last = { stdout: await response.text(), stderr: "" };
    return response.status === 200 ? undefined : `${path} answers with status ${response.status}.`;
  }

  #explain({ page, line, language, text }: Block, problem: string): string {
    const { stdout, stderr } = this.#last;
    return [
      `${page}:${line}: ${problem}`,
      `--- the block (${language})`,
      text.trimEnd(),
      "--- what was printed",
      stdout.trimEnd(),
      ...(stderr.trim() === "" ? [] : ["--- on standard error", stderr.trimEnd()]),
    ].join("\n");
  }
}
