import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../testing/free-port.js";
import { REPOSITORY, startMuster } from "./support/muster-process.js";
import { installPackages, linkInstalled, type PackedPackage, packPackages } from "./support/packed-packages.js";

// The published packages, as their users get them: packed, and installed in a project far from this repository.

// Packing everything takes seconds, and many times that on a busy machine.

const run = promisify(execFile);
const TSC = join(REPOSITORY, "node_modules/.bin/tsc");

let parent: string;
let project: string;
let packages: PackedPackage[];
beforeAll(async () => {
  // The compiler prints paths relative to the real folder, and the temporary folder of macOS is a link.
  parent = await mkdtemp(join(await realpath(tmpdir()), "muster-packages-"));
  project = join(parent, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true }));
  packages = await packPackages(parent);
  await installPackages(project, packages);
  // What a project in TypeScript, and a connector, install themselves.
  for (const name of ["@types/node", "express", "@types/express"]) await linkInstalled(project, name);
});
afterAll(() => rm(parent, { recursive: true, force: true, maxRetries: 10 }));

const LIBRARIES = ["browser", "client", "connector", "protocol", "query", "sandbox"];
const PROGRAMS = ["cli", "dashboard", "server"];

function packed(name: string): PackedPackage {
  const found = packages.find(({ manifest }) => manifest.name === `@muster/${name}`);
  if (!found) throw new Error(`@muster/${name} is not published.`);
  return found;
}

test("these packages are published, in one version", () => {
  expect(packages.map(({ manifest }) => manifest.name).sort()).toEqual(
    [...LIBRARIES, ...PROGRAMS].map((name) => `@muster/${name}`).sort(),
  );
  expect(new Set(packages.map(({ manifest }) => manifest.version)).size).toBe(1);
});

describe.each([...LIBRARIES, ...PROGRAMS])("@muster/%s", (name) => {
  test("has no fault that publint finds", async () => {
    const tarball = new Uint8Array(await readFile(packed(name).tarball)).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("comes with the licence, a readme, and no test", async () => {
    const { stdout } = await run("tar", ["-tzf", packed(name).tarball]);
    const files = stdout.trim().split("\n");
    expect(files).toEqual(expect.arrayContaining(["package/LICENSE", "package/README.md"]));
    expect(files.filter((file) => /\.test\.|tsbuildinfo/.test(file) && !file.includes("/templates/"))).toEqual([]);
    const home = join(project, "node_modules/@muster", name);
    expect(await readFile(join(home, "LICENSE"), "utf8")).toBe(await readFile(join(REPOSITORY, "LICENSE"), "utf8"));
  });

  test("says which Node it needs, the same as the repository", async () => {
    const { engines } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
    expect(packed(name).manifest.engines).toEqual(engines);
  });

  // That includes the sources, which the condition `@muster/source` names. Only the tools of this repository resolve
  // it, but npm publishes package.json as it is in the repository. The maps of the build lead to the sources too.
  test("contains every file that its exports name", () => {
    const home = join(project, "node_modules/@muster", name);
    expect(targetsOf(packed(name).manifest.exports).filter((target) => !hasFile(home, target))).toEqual([]);
  });
});

/** Whether a folder has the file of an export or, for a path with a star, any file that the star can stand for. */
function hasFile(folder: string, target: string): boolean {
  const [start = "", end] = target.split("*");
  if (end === undefined) return existsSync(join(folder, target));
  return readdirSync(join(folder, start)).some((file) => file.endsWith(end));
}

function targetsOf(exports: unknown): string[] {
  if (typeof exports === "string") return [exports];
  return typeof exports === "object" && exports !== null ? Object.values(exports).flatMap(targetsOf) : [];
}

describe("types", () => {
  // The client has a CommonJS build with types of its own. A program that requires one of the others gets an ES module,
  // which Node allows from 20.19 on, and TypeScript with it. `node10` is how Node resolved before it knew `exports`.
  test.each([
    { name: "client", ignored: [] },
    ...LIBRARIES.filter((name) => name !== "client").map((name) => ({ name, ignored: ["node10", "node16-cjs"] })),
  ])("of @muster/$name are found by every resolution, $ignored aside", async ({ name, ignored }) => {
    const content = createPackageFromTarballData(await readFile(packed(name).tarball));
    // Script tags load this file; nobody imports it.
    const analysis = await checkPackage(content, { excludeEntrypoints: ["./muster.js"] });
    if (!analysis.types) throw new Error("The package has no types.");
    const problems = analysis.problems.filter(
      (problem) => !("resolutionKind" in problem && ignored.includes(problem.resolutionKind)),
    );
    expect(problems).toEqual([]);
  });
});

const IMPORTS = {
  "@muster/client": "Client, ClientError",
  "@muster/connector": "Connector, createHttp",
  "@muster/connector/testing": "runConnector, startFakePlatform, userMessage",
  "@muster/protocol": "createId",
  "@muster/protocol/manifest": "checkManifest",
  "@muster/query": "describeQuery, parse",
  "@muster/sandbox": "runScript",
};

// JavaScript, and TypeScript too.
const USE = `
async function use() {
  const client = new Client({ id: "0198c2a4f1d002a1b2c3d4e5", secret: "s", organization: "a.b", captureFirehoseEvents: true });
  const receipt = await client.asUser({ email: "ada@example.com" }).track("Used");
  const platform = await startFakePlatform();
  const connector = new Connector({
    manifest: {
      name: "Used", version: "1", tags: ["smart-notifier"], settings_sections: [],
      subscriptions: [{ url: "/notify", channels: [{ channel: "user:update", handler: "update" }] }],
    },
    port: 0,
    organizations: [platform.url],
    handlers: { subscriptions: { update: (ctx) => ctx.client.asUser({ email: "ada@example.com" }).traits({ seen: true }) } },
  });
  const running = await runConnector(connector);
  const answer = await platform.notify(running.url + "/notify", { channel: "user:update", messages: [userMessage()] });
  await running.close();
  await platform.close();
  const { actions } = await runScript("traits({ plan: 'pro' })", {});
  console.log(JSON.stringify({
    events: client.configuration().firehoseEvents?.length,
    position: receipt.position,
    isError: new ClientError("x", "y") instanceof Error,
    answered: answer.status,
    told: platform.entries.map(({ type }) => type),
    http: typeof createHttp,
    manifest: typeof checkManifest,
    id: createId("user").length,
    query: describeQuery(parse({ term: { plan: "pro" } }, { target: "user" }), { target: "user" }),
    actions: actions.map(({ kind }) => kind),
  }));
}
use();
`;
const USED = {
  events: 1,
  position: null,
  isError: true,
  answered: 200,
  told: ["traits"],
  http: "function",
  manifest: "function",
  id: 24,
  query: expect.stringContaining("plan"),
  actions: ["traits"],
};

const asImports = Object.entries(IMPORTS)
  .map(([from, names]) => `import { ${names} } from "${from}";`)
  .join("\n");
const asRequires = Object.entries(IMPORTS)
  .map(([from, names]) => `const { ${names} } = require("${from}");`)
  .join("\n");

describe("a project without TypeScript", () => {
  test.each([
    { file: "use.mjs", load: asImports },
    { file: "use.cjs", load: asRequires },
  ])("uses the libraries from $file", async ({ file, load }) => {
    await writeFile(join(project, file), load + USE);
    const { stdout } = await run(process.execPath, [file], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(USED);
  });
});

// The same for TypeScript alone.
const USE_TYPES = `
export const count = (client: Client): number | undefined => client.configuration().firehoseEvents?.length;
`;

// Each of these is one error as long as the types are known, and none where they are not: an unknown type is `any`.
const WRONG: [code: string, error: string][] = [
  [`import { Client } from "@muster/client"; new Client({ id: 5 });`, "TS2322"],
  [`import { Connector } from "@muster/connector"; new Connector({ port: true });`, "TS2322"],
  [`import { Connector } from "@muster/connector"; new Connector().setupApp(5);`, "TS2345"],
  [`import { createHttp } from "@muster/connector"; createHttp(5);`, "TS2345"],
  [`import { runConnector } from "@muster/connector/testing"; runConnector(5);`, "TS2345"],
  [`import { createId } from "@muster/protocol"; createId("unknown");`, "TS2345"],
  [`import { checkManifest } from "@muster/protocol/manifest"; checkManifest();`, "TS2554"],
  [`import { parse } from "@muster/query"; parse({}, { target: "unknown" });`, "TS2322"],
  [`import { runScript } from "@muster/sandbox"; runScript(5, {});`, "TS2345"],
];

test.each([
  { moduleResolution: "nodenext", module: "nodenext", extensions: ["mts", "cts"] },
  { moduleResolution: "bundler", module: "preserve", extensions: ["mts"] },
])("a project in TypeScript is told of wrong uses alone: resolution $moduleResolution", async (options) => {
  const { moduleResolution, module, extensions } = options;
  const files = new Map(extensions.map((extension) => [`use.${extension}`, asImports + USE + USE_TYPES]));
  for (const name of ["client", "connector"]) files.set(`readme-${name}.mts`, await readmeExample(name));
  const expected: string[] = [];
  for (const extension of extensions) {
    for (const [index, [code, error]] of WRONG.entries()) {
      files.set(`wrong-${index}.${extension}`, code);
      expected.push(`wrong-${index}.${extension}: ${error}`);
    }
  }
  for (const [file, code] of files) await writeFile(join(project, file), code);
  const compilerOptions = { noEmit: true, strict: true, target: "es2023", module, moduleResolution, types: ["node"] };
  const config = `tsconfig.${moduleResolution}.json`;
  await writeFile(join(project, config), JSON.stringify({ compilerOptions, files: [...files.keys()] }));
  const errors = (await compilerErrors(config)).map((line) =>
    line.replace(/^(wrong-\d+\.[cm]ts)\(\d+,\d+\): error (TS\d+): .*$/, "$1: $2"),
  );
  expect(errors.sort()).toEqual(expected.sort());
});

/** The first example in the readme of a package. */
async function readmeExample(name: string): Promise<string> {
  const readme = await readFile(join(project, "node_modules/@muster", name, "README.md"), "utf8");
  return /```ts\n(.*?)```/s.exec(readme)?.[1] ?? "The readme has no example.";
}

/** The errors in the project and in our packages, a line each. Those in the packages of others are not ours to mend. */
async function compilerErrors(config: string): Promise<string[]> {
  const output = await run(TSC, ["-p", config, "--pretty", "false"], { cwd: project }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  return output.split("\n").filter((line) => / error TS\d+:/.test(line) && !line.startsWith(".."));
}

describe("the command", () => {
  test("starts the server, which has the guides", async () => {
    const muster = startMuster({
      dataDir: join(parent, "data"),
      port: await freePort(),
      command: [join(project, "node_modules/.bin/muster"), "start"],
    });
    try {
      await muster.ready();
      const guide = await fetch(`${muster.url}/guide/quick-start`);
      expect([guide.status, await guide.text()]).toEqual([200, expect.stringContaining('<h1 id="quick-start">')]);
    } finally {
      muster.kill("SIGTERM");
    }
    expect(await muster.ended).toBe(0);
  });

  test("writes a connector that passes its tests", async () => {
    await run(join(project, "node_modules/.bin/muster"), ["connector", "new", "acme crm"], { cwd: project });
    const { stdout } = await run("npm", ["test"], { cwd: join(project, "acme-crm") });
    expect(stdout).toMatch(/pass 2\n.*fail 0/s);
  });
});
