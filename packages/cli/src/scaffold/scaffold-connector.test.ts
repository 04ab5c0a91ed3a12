// @module-tag long
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeServerNote } from "@muster/server/server-note";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { freePort } from "../../../../testing/free-port.js";
import { libraryAddress } from "./library-address.js";
import { scaffoldConnector } from "./scaffold-connector.js";

const run = promisify(execFile);
const rootModules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

const LIBRARY = "http://127.0.0.1:8080/packages/connector.tgz";

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "scaffold-"));
});
afterEach(() => rm(parent, { recursive: true }));

/** A new connector whose dependencies are linked to this repository. */
async function createInstalled(name: string): Promise<string> {
  const folder = await scaffoldConnector(name, parent, LIBRARY);
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

test("a new connector installs its library from the server that is named", async () => {
  const folder = await scaffoldConnector("crm", parent, LIBRARY);
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  expect(dependencies).toEqual({ "@muster/connector": LIBRARY, express: "^5.0.0" });
});

describe("the address of the library", () => {
  const addressIn = (folder: string, environment: Record<string, string> = {}) =>
    libraryAddress({ environment: { DATA_DIR: parent, ...environment } }, {}, folder);

  test("is at the server that is named", async () => {
    expect(await addressIn(parent, { MUSTER_URL: "https://muster.example.com/" })).toBe(
      "https://muster.example.com/packages/connector.tgz",
    );
  });

  test("is not needed in a folder that finds the library, as in the clone", async () => {
    expect(await addressIn(rootModules)).toBeUndefined();
  });

  test("must be known elsewhere: a registry may have a package of somebody else under the name", async () => {
    await expect(addressIn(parent)).rejects.toThrow("Name the server that has @muster/connector");
  });

  test("is not taken from the note of a server that has crashed", async () => {
    const [port, stranger] = [await freePort(), createServer((_request, response) => response.end("{}"))];
    await once(stranger.listen(port, "127.0.0.1"), "listening");
    await writeServerNote(parent, { url: `http://127.0.0.1:${port}`, key: "k" });
    await expect(addressIn(parent)).rejects.toThrow("is not the server of the data directory");
    stranger.close();
  });
});

test("a folder that is not empty is left unchanged", async () => {
  await mkdir(join(parent, "crm"));
  await writeFile(join(parent, "crm", "mine.txt"), "mine");
  await expect(scaffoldConnector("CRM", parent)).rejects.toThrow("already exists and is not empty");
});

test.each(["", "---", "1st", "../evil!".repeat(20)])("%j is not a name", async (name) => {
  await expect(scaffoldConnector(name, parent)).rejects.toThrow("is not a name for a connector");
});
