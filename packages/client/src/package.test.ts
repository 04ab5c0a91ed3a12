import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const packages = fileURLToPath(new URL("../../", import.meta.url));
const rootModules = join(packages, "../node_modules");

/** A project far from this repository, with the packed packages installed in it. */
let project: string;

beforeAll(async () => {
  await run("npm", ["run", "build"], { cwd: join(packages, "client") });
  project = await mkdtemp(join(tmpdir(), "client-consumer-"));
  await install("protocol");
  await install("client");
  // `typebox` is the only indirect dependency; the compiler needs its types and Node's.
  for (const name of ["typebox", "@types/node", "undici-types"]) await link(name);
});
afterAll(() => rm(project, { recursive: true, force: true }));

async function install(name: string): Promise<void> {
  const target = join(project, "node_modules/@muster", name);
  await mkdir(target, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], { cwd: join(packages, name) });
  const [{ filename }] = JSON.parse(stdout);
  await run("tar", ["-xzf", join(project, filename), "-C", target, "--strip-components", "1"]);
}

async function link(name: string): Promise<void> {
  await mkdir(join(project, "node_modules", name, ".."), { recursive: true });
  await symlink(join(rootModules, name), join(project, "node_modules", name));
}

const USE = `
  const client = new Client({ id: "0198c2a4f1d002a1b2c3d4e5", secret: "s", organization: "a.b", captureFirehoseEvents: true });
  client.asUser({ email: "ada@example.com" }).track("Used").then((receipt) => {
    const events: number | undefined = client.configuration().firehoseEvents?.length;
    console.log(JSON.stringify({ events, position: receipt.position, isError: new ClientError("x", "y") instanceof Error }));
  });`;
const USED = { events: 1, position: null, isError: true };

describe("the published package", () => {
  it.each([
    ["use.cjs", `const { Client, ClientError } = require("@muster/client");`],
    ["use.mjs", `import { Client, ClientError } from "@muster/client";`],
  ])("works from %s", async (file, load) => {
    await writeFile(join(project, file), load + USE.replace(": number | undefined", ""));
    const { stdout } = await run(process.execPath, [file], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(USED);
  });

  it.each(["use.cts", "use.mts"])("has types for %s", async (file) => {
    await writeFile(join(project, file), `import { Client, ClientError } from "@muster/client";${USE}`);
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--types", "node", file];
    await expect(run(join(rootModules, ".bin/tsc"), flags, { cwd: project })).resolves.toMatchObject({ stdout: "" });
  });

  it("reports a type error in either", async () => {
    for (const file of ["wrong.cts", "wrong.mts"]) {
      await writeFile(join(project, file), `import { Client } from "@muster/client"; new Client({ id: 5 });`);
      const flags = ["--noEmit", "--module", "nodenext", "--types", "node", file];
      await expect(run(join(rootModules, ".bin/tsc"), flags, { cwd: project })).rejects.toMatchObject({
        stdout: expect.stringContaining("TS2322"),
      });
    }
  });
});
