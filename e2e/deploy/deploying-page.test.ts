import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { guideBlock } from "../guides/kit/guide-block.js";
import { REPOSITORY } from "../support/muster-process.js";

// The blocks of the pages about installing and deploying, with programs in place of Docker, systemd, git and npm that note how they are called.
// What they would do is tested elsewhere: the Dockerfile and the unit beside this file, `npm ci` and `npm run build` by CI.

const run = promisify(execFile);
const NOTING = ["docker", "git", "npm", "openssl", "systemctl", "useradd"];

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-deploying-"));
  await mkdir(join(parent, "bin"));
  for (const name of NOTING) {
    const file = join(parent, "bin", name);
    await writeFile(file, `#!/bin/sh\necho ${name} "$@" >> '${parent}/calls'\n[ ${name} != openssl ] || echo secret\n`);
    await chmod(file, 0o755);
  }
});
afterEach(() => rm(parent, { recursive: true, force: true }));

/** Runs a block in `folder`. Returns how the programs were called. */
async function callsOf(block: string, folder = REPOSITORY): Promise<string[]> {
  const env = { PATH: `${parent}/bin:${process.env.PATH}` };
  await run("bash", ["-euo", "pipefail", "-c", block], { cwd: folder, env });
  return (await readFile(join(parent, "calls"), "utf8")).trim().split("\n");
}

test("compose starts the server, and the command in it is asked for a link", async () => {
  const block = guideBlock("docs/operations/deploying.md", "compose");
  expect(await callsOf(block)).toEqual(["docker compose up --detach", "docker compose exec muster muster sign-in"]);
  expect(guideBlock("docs/install.md", "compose")).toBe(block);
});

test("the page about installing starts a clone, upgrades a container, and fetches the command from the server", async () => {
  expect(await callsOf(guideBlock("docs/install.md", "clone"))).toEqual(["npm ci", "npm start"]);
  expect(await callsOf(guideBlock("docs/install.md", "upgrade"))).toEqual(
    expect.arrayContaining(["git pull", "docker compose up --detach --build"]),
  );
  expect((await callsOf(guideBlock("docs/install.md", "command"))).at(-1)).toBe(
    "npm install -g http://localhost:8080/packages/cli.tgz",
  );
});

test("the image is built and run with a volume for its data", async () => {
  const [build, start] = await callsOf(guideBlock("docs/operations/deploying.md", "docker"));
  expect(build).toBe("docker build -t muster .");
  expect(start).toMatch(/^docker run .*--init .*-v muster:\/data .* muster$/);
});

test("the engines are started with passwords", async () => {
  const calls = await callsOf(guideBlock("docs/operations/deploying.md", "engines"));
  expect(calls.at(-1)).toBe("docker compose -f compose.yaml -f compose.engines.yaml up --detach");
  expect(calls.filter((call) => call.startsWith("openssl"))).toHaveLength(2);
});

test("the service is installed where the unit expects it", async () => {
  const clone = join(parent, "clone");
  for (const folder of ["clone", "opt", "etc/systemd/system"]) await mkdir(join(parent, folder), { recursive: true });
  await cp(join(REPOSITORY, "ops"), join(clone, "ops"), { recursive: true });
  const block = guideBlock("docs/operations/deploying.md", "systemd");
  const calls = await callsOf(block.replaceAll(/(?<=\s)\/(?=opt\/|etc\/)/g, `${parent}/`), clone);
  expect(calls).toEqual([
    "useradd --system --home-dir /var/lib/muster --shell /usr/sbin/nologin muster",
    "npm ci",
    "npm run build",
    "systemctl enable --now muster",
  ]);
  const unit = await readFile(join(parent, "etc/systemd/system/muster.service"), "utf8");
  const lines = [
    "WorkingDirectory=/opt/muster",
    "EnvironmentFile=-/etc/muster.env",
    "User=muster",
    // With the rights of root, because the folder belongs to root.
    "ExecStartPre=+/usr/bin/env HOME=/root npm run build --silent",
  ];
  for (const line of lines) {
    expect(unit).toContain(line);
  }
  expect(await readFile(join(parent, "etc/muster.env"), "utf8")).toBe("PUBLIC_URL=http://localhost:8080\n");
});
