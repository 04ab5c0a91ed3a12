import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { freePort } from "../../../../testing/free-port.js";
import { scaffoldConnector } from "./scaffold-connector.js";

const run = promisify(execFile);
const rootModules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "scaffold-"));
});
afterEach(() => rm(parent, { recursive: true }));

/** A new connector whose dependencies are linked to this repository. */
async function createInstalled(name: string): Promise<string> {
  const folder = await scaffoldConnector(name, parent);
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  for (const dependency of Object.keys(dependencies)) {
    const target = join(folder, "node_modules", dependency);
    await mkdir(join(target, ".."), { recursive: true });
    await symlink(join(rootModules, dependency), target);
  }
  return folder;
}

test("a new connector passes its own tests", async () => {
  const folder = await createInstalled("acme crm");
  expect(folder).toBe(join(parent, "acme-crm"));
  const { stdout } = await run("npm", ["test"], { cwd: folder });
  expect(stdout).toMatch(/pass 2\n.*fail 0/s);
});

test("a new connector runs under its own name", async () => {
  const folder = await createInstalled("acme crm");
  const port = await freePort();
  const child = spawn(process.execPath, ["src/main.js"], { cwd: folder, env: { ...process.env, PORT: String(port) } });
  const ended = once(child, "exit");
  const manifest = await vi.waitFor(
    () => fetch(`http://127.0.0.1:${port}/manifest.json`).then((answer) => answer.json()),
    {
      timeout: 20_000,
    },
  );
  expect(manifest).toMatchObject({ name: "Acme Crm", version: "0.1.0" });
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(await readFile(join(folder, "src/handlers.js"), "utf8")).toContain('"acme-crm/seen_at"');
});

test("a folder that is not empty is left unchanged", async () => {
  await mkdir(join(parent, "crm"));
  await writeFile(join(parent, "crm", "mine.txt"), "mine");
  await expect(scaffoldConnector("CRM", parent)).rejects.toThrow("already exists and is not empty");
});

test.each(["", "---", "1st", "../evil!".repeat(20)])("%j is not a name", async (name) => {
  await expect(scaffoldConnector(name, parent)).rejects.toThrow("is not a name for a connector");
});
