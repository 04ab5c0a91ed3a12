// @module-tag long
import { execFile } from "node:child_process";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "../testing/free-port.js";
import { type MusterProcess, REPOSITORY, startMuster } from "./support/muster-process.js";
import { PATIENCE } from "./support/patience.js";
import { prepareDataDir } from "./support/prepare-data-dir.js";
import {
  type Download,
  downloadPackages,
  installInto,
  linkInstalled,
  lockedIntegrity,
  npm,
} from "./support/served-packages.js";

// The packages as their users get them: npm installs them from a running server, in empty folders far from this repository.

const run = promisify(execFile);
const TSC = join(REPOSITORY, "node_modules/.bin/tsc");
const LIBRARIES = ["browser", "client", "connector"] as const;
type Library = (typeof LIBRARIES)[number];

let parent: string;
let server: MusterProcess;
let packages: Map<string, Download>;
/** A folder for each library, in which it is installed. */
let projects: Record<Library, string>;
/** The command, installed as `npm install --global` does. */
let command: string;
beforeAll(async () => {
  // The compiler prints paths relative to the real folder, and the temporary folder of macOS is a link.
  parent = await mkdtemp(join(await realpath(tmpdir()), "muster-packages-"));
  const dataDir = join(parent, "data");
  await prepareDataDir(dataDir);
  const main: [string, string] = [process.execPath, join(REPOSITORY, "apps/server/bundle/main.js")];
  server = startMuster({ dataDir, port: await freePort(), command: main });
  await server.ready();
  packages = await downloadPackages(server.url, parent);
  await npm(parent, ["install", "--global", "--prefix", join(parent, "global"), served("cli").url]);
  command = join(parent, "global/bin/muster");
  projects = { client: join(parent, "client"), browser: join(parent, "browser"), connector: join(parent, "acme-crm") };
  for (const name of ["client", "browser"] as const) {
    await installInto(projects[name], [served(name).url]);
  }
  // A project in TypeScript installs it itself. The connector library brings it, with the types of Express.
  await linkInstalled(parent, "@types/node");
  await muster(["connector", "new", "acme crm"]);
  await installInto(projects.connector, []);
});
afterAll(async () => {
  server.kill("SIGTERM");
  await server.ended;
  await rm(parent, { recursive: true, force: true, maxRetries: 10 });
});

function served(name: string): Download {
  const found = packages.get(name);
  if (!found) throw new Error(`@muster/${name} is not served.`);
  return found;
}

/** Runs the installed command, for the server. */
async function muster(args: readonly string[], folder = parent): Promise<string> {
  const token = (await readFile(join(parent, "data/admin.token"), "utf8")).trim();
  const env = { ...process.env, MUSTER_URL: server.url, MUSTER_ADMIN_TOKEN: token };
  const { stdout } = await run(command, args, { cwd: folder, env });
  return stdout;
}

describe.each([...LIBRARIES, "cli"])("@muster/%s", (name) => {
  test("has no fault that publint finds", async () => {
    const tarball = new Uint8Array(served(name).tarball).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("comes with the licence, a readme, and no source, map or test", () => {
    const { files } = served(name);
    expect(files).toEqual(expect.arrayContaining(["package/LICENSE", "package/README.md"]));
    // The command has the code of a new connector, with its test.
    const own = files.filter((file) => !file.startsWith("package/templates/"));
    expect(own.filter((file) => /\.test\.|\.map$|tsbuildinfo|(?<!\.d)\.[cm]?ts$/.test(file))).toEqual([]);
  });

  test("is of the version and for the Node of this repository", async () => {
    const { version, engines } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
    const { manifest } = served(name);
    expect([manifest.version, served(name).version, manifest.engines]).toEqual([version, version, engines]);
  });

  test("needs nothing of ours from a registry, and runs no script", () => {
    const { dependencies, peerDependencies, scripts } = served(name).manifest;
    const needed = Object.keys({ ...dependencies, ...peerDependencies });
    expect([needed.filter((each) => each.startsWith("@muster/")), scripts]).toEqual([[], undefined]);
  });

  test("contains every file that its exports name", () => {
    const { exports, bin } = served(name).manifest;
    const targets = [...targetsOf(exports), ...Object.values(bin ?? {})].map((path) => path.replace("./", ""));
    expect(targets.filter((path) => !served(name).files.includes(`package/${path}`))).toEqual([]);
  });
});

test("client, browser and command have no dependencies", () => {
  for (const name of ["client", "browser", "cli"]) expect(served(name).manifest.dependencies).toBeUndefined();
});

function targetsOf(exports: unknown): string[] {
  if (typeof exports === "string") return [exports];
  return typeof exports === "object" && exports !== null ? Object.values(exports).flatMap(targetsOf) : [];
}

test.each(LIBRARIES)("the lock file has the checksum of @muster/%s that the server lists", async (name) => {
  expect(await lockedIntegrity(projects[name], `@muster/${name}`)).toBe(served(name).integrity);
});

describe("types", () => {
  // The client has a CommonJS build with types of its own. A program that requires one of the others gets an ES module,
  // which Node allows from 20.19 on, and TypeScript with it. `node10` is how Node resolved before it knew `exports`.
  test.each([
    { name: "client", ignored: [] },
    { name: "connector", ignored: ["node10", "node16-cjs"] },
    { name: "browser", ignored: ["node10", "node16-cjs"] },
  ])("of @muster/$name are found by every resolution, $ignored aside", async ({ name, ignored }) => {
    const analysis = await checkPackage(createPackageFromTarballData(served(name).tarball));
    if (!analysis.types) throw new Error("The package has no types.");
    const problems = analysis.problems.filter(
      (problem) => !("resolutionKind" in problem && (ignored as string[]).includes(problem.resolutionKind)),
    );
    expect(problems).toEqual([]);
  });
});

interface Use {
  /** What is imported, by the module. */
  imports: Record<string, string>;
  /** JavaScript, and TypeScript too. It prints JSON. */
  code: string;
  printed: object;
  /** Further code for TypeScript alone. */
  types: string;
  /** Each of these is one error as long as the types are known, and none where they are not: an unknown type is `any`. */
  wrong: [code: string, error: string][];
}

const USES: Record<Library, Use> = {
  client: {
    imports: { "@muster/client": "Client, ClientError" },
    code: `
async function use() {
  const client = new Client({ id: "0198c2a4f1d002a1b2c3d4e5", secret: "s", organization: "a.b", captureFirehoseEvents: true });
  const receipt = await client.asUser({ email: "ada@example.com" }).track("Used");
  const events = client.configuration().firehoseEvents?.length;
  console.log(JSON.stringify({ events, position: receipt.position, isError: new ClientError("x", "y") instanceof Error }));
}
use();
`,
    printed: { events: 1, position: null, isError: true },
    types:
      "export const count = (client: Client): number | undefined => client.configuration().firehoseEvents?.length;",
    wrong: [[`import { Client } from "@muster/client"; new Client({ id: 5 });`, "TS2322"]],
  },
  connector: {
    imports: {
      "@muster/connector": "ClientError, Connector, createHttp",
      "@muster/connector/testing": "runConnector, startFakePlatform, userMessage",
    },
    code: `
async function use() {
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
  const told = platform.entries.map(({ type }) => type);
  console.log(JSON.stringify({ answered: answer.status, told, http: typeof createHttp, error: typeof ClientError }));
}
use();
`,
    printed: { answered: 200, told: ["traits"], http: "function", error: "function" },
    types: `import type { Client, Context } from "@muster/connector"; export const clientOf = (ctx: Context): Client => ctx.client;`,
    wrong: [
      [`import { Connector } from "@muster/connector"; new Connector({ port: true });`, "TS2322"],
      [`import { Connector } from "@muster/connector"; new Connector().setupApp(5);`, "TS2345"],
      [`import { createHttp } from "@muster/connector"; createHttp(5);`, "TS2345"],
      [`import { runConnector } from "@muster/connector/testing"; runConnector(5);`, "TS2345"],
    ],
  },
  browser: {
    imports: { "@muster/browser": "init" },
    code: `console.log(JSON.stringify({ init: typeof init }));`,
    printed: { init: "function" },
    types: `import type { Client } from "@muster/browser"; export const start = (): Client => init({ platformId: "p", orgUrl: "https://a.b" });`,
    wrong: [[`import { init } from "@muster/browser"; init({ platformId: 5, orgUrl: "https://a.b" });`, "TS2322"]],
  },
};

const asImports = ({ imports }: Use) =>
  Object.entries(imports).map(([from, names]) => `import { ${names} } from "${from}";\n`);
const asRequires = ({ imports }: Use) =>
  Object.entries(imports).map(([from, names]) => `const { ${names} } = require("${from}");\n`);

describe("a project without TypeScript", () => {
  test.each(
    LIBRARIES.flatMap((name) => [
      { name, file: "use.mjs", load: asImports },
      { name, file: "use.cjs", load: asRequires },
    ]),
  )("uses @muster/$name from $file", async ({ name, file, load }) => {
    const use = USES[name];
    await writeFile(join(projects[name], file), load(use).join("") + use.code);
    const { stdout } = await run(process.execPath, [file], { cwd: projects[name] });
    expect(JSON.parse(stdout)).toEqual(use.printed);
  });
});

// A run of the compiler takes seconds, so libraries share one where they can.
test.each(
  [["client", "browser"] as const, ["connector"] as const].flatMap((names) => [
    { names, moduleResolution: "nodenext", module: "nodenext", extensions: ["mts", "cts"] },
    { names, moduleResolution: "bundler", module: "preserve", extensions: ["mts"] },
  ]),
)("a project in TypeScript is told of wrong uses of $names alone: resolution $moduleResolution", async (options) => {
  const { names, moduleResolution, module, extensions } = options;
  const root = names.length === 1 ? projects[names[0]] : parent;
  const files: string[] = [];
  const expected: string[] = [];
  for (const name of names) {
    const { wrong, code, types } = USES[name];
    const folder = relative(root, projects[name]);
    const add = async (file: string, text: string) => {
      files.push(join(folder, file));
      await writeFile(join(projects[name], file), text);
    };
    await add("readme.mts", await readmeExample(name));
    for (const extension of extensions) {
      await add(`use.${extension}`, [...asImports(USES[name]), code, types].join("\n"));
      for (const [index, [text, error]] of wrong.entries()) {
        await add(`wrong-${index}.${extension}`, text);
        expected.push(`${join(folder, `wrong-${index}.${extension}`)}: ${error}`);
      }
    }
  }
  const compilerOptions = { noEmit: true, strict: true, target: "es2023", module, moduleResolution, types: ["node"] };
  const config = `tsconfig.${moduleResolution}.json`;
  await writeFile(join(root, config), JSON.stringify({ compilerOptions, files }));
  const errors = (await compilerErrors(root, config)).map((line) =>
    line.replace(/^(\S*wrong-\d+\.[cm]ts)\(\d+,\d+\): error (TS\d+): .*$/, "$1: $2"),
  );
  expect(errors.sort()).toEqual(expected.sort());
});

/** The first example in the readme of a package. */
async function readmeExample(name: Library): Promise<string> {
  const readme = await readFile(join(projects[name], "node_modules/@muster", name, "README.md"), "utf8");
  return /```ts\n(.*?)```/s.exec(readme)?.[1] ?? "The readme has no example.";
}

/** The errors in the project and in our packages, a line each. Those in the packages of others are not ours to mend. */
async function compilerErrors(project: string, config: string): Promise<string[]> {
  const output = await run(TSC, ["-p", config, "--pretty", "false"], { cwd: project }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  return output
    .split("\n")
    .filter((line) => / error TS\d+:/.test(line) && !/^\.\.|node_modules\/(?!@muster\/)/.test(line));
}

test("a bundler puts the browser library into a page's script", async () => {
  const entry = join(projects.browser, "page.js");
  await writeFile(entry, `import { init } from "@muster/browser";\nwindow.start = init;\n`);
  const bundle = await rolldown({ input: entry, platform: "browser", cwd: projects.browser });
  const { output } = await bundle.generate({ format: "iife" });
  await bundle.close();
  expect([output.length, output[0].imports]).toEqual([1, []]);
  expect(output[0].code).toContain("sendBeacon");
});

describe("the command", () => {
  test("speaks to the server", async () => {
    expect(JSON.parse(await muster(["connector", "list", "--json"]))).toMatchObject([{ name: "API" }]);
    expect(await muster(["--version"])).toBe(`${served("cli").version}\n`);
  });

  test("says where the server is started, which it does not contain", async () => {
    await expect(muster(["start"])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("This command was installed without the server."),
    });
  });

  test("writes a connector that installs the library from the server, passes its tests and starts", async () => {
    const project = projects.connector;
    const { dependencies } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
    expect(dependencies["@muster/connector"]).toBe(`${server.url}/packages/connector.tgz`);
    expect(await npm(project, ["test"])).toMatch(/pass 2\n.*fail 0/s);
    const port = await freePort();
    const started = startMuster({ dataDir: parent, port, command: ["npm", "start"], folder: project });
    try {
      const manifest = await vi.waitFor(
        () => fetch(`${started.url}/manifest.json`).then((each) => each.json()),
        PATIENCE,
      );
      expect(manifest).toMatchObject({ name: "Acme Crm" });
    } finally {
      started.killGroup("SIGTERM");
    }
    await started.ended;
  });
});
