// @module-tag long
import { execFile, spawnSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { freePort } from "../../testing/free-port.js";
import { callApi, connectorHeaders } from "../support/call-api.js";
import { printedCredentials } from "../support/credentials.js";
import { postBatch, userEntry } from "../support/entries.js";
import { installation } from "../support/installation.js";
import { type MusterProcess, REPOSITORY, startMuster } from "../support/muster-process.js";
import { processesMentioning } from "../support/processes-mentioning.js";
import { buildImage, type Image } from "./image.js";
import { readUnit } from "./read-unit.js";
import { NOBODY, unprivileged } from "./unprivileged.js";

// The Dockerfile and the systemd unit, executed without a container engine and without systemd.

// Two installations, of which other tests share one, and a build: under a minute on a quiet machine, and many times that on a busy one.
vi.setConfig({ hookTimeout: 600_000 });

const run = promisify(execFile);

let parent: string;
let image: Image;
/** Why nothing could be built: the packages are neither in the cache of npm nor can they be fetched. */
let offline: string | undefined;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-deploy-"));
  // An ordinary user must get through to the folders in it.
  await chmod(parent, 0o755);
  try {
    const dockerfile = await readFile(join(REPOSITORY, "Dockerfile"), "utf8");
    image = await buildImage(dockerfile, parent, await installation());
  } catch (error) {
    if (!/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ENOTCACHED/.test(String(error))) throw error;
    offline = "The packages are not in the cache of npm, and the registry cannot be reached.";
  }
});
afterAll(() => rm(parent, { recursive: true, force: true, maxRetries: 10 }));

beforeEach(({ skip }) => skip(offline !== undefined, offline));
afterEach(async () => {
  for (const pid of await processesMentioning(parent)) process.kill(pid, "SIGKILL");
});

/** Sends a record, waits until it can be found, and stops the server. */
async function useAndStop(muster: MusterProcess): Promise<void> {
  const credentials = await printedCredentials(muster);
  const sent = await postBatch(muster.url, credentials, [userEntry(credentials, "ada", "traits", { plan: "pro" })]);
  const found = await callApi<{ pagination: { total: number } }>(muster.url, {
    method: "POST",
    path: "/search/user_reports",
    headers: { ...connectorHeaders(credentials), "svc-wait-for": sent.headers.get("svc-position") ?? "" },
    body: { query: { term: { plan: "pro" } } },
  });
  expect(found.pagination.total).toBe(1);
  muster.kill("SIGTERM");
  expect(await muster.ended).toBe(0);
}

describe("the image", () => {
  test("serves as an ordinary user, is healthy, takes a record, and stops on SIGTERM", async () => {
    const port = await freePort();
    const environment = { ...image.environment, HOST: "127.0.0.1", PORT: String(port) };
    const isHealthy = () => spawnSync(...programOf(unprivileged(image.healthcheck)), { env: environment }).status;
    expect(isHealthy()).toBe(1);
    const command = unprivileged(image.command);
    const dataDir = image.environment.DATA_DIR ?? "";
    const muster = startMuster({ dataDir, port, command, folder: image.folder, environment });
    await muster.ready();
    expect(isHealthy()).toBe(0);
    for (const path of ["/", "/guide", "/docs", "/packages", "/analytics.js/v1/any-key/analytics.min.js"]) {
      expect((await fetch(muster.url + path)).status, path).toBe(200);
    }
    // The server runs the connectors of the image, which need their packages and a folder that this user may write to.
    const authorization = `Bearer ${await readFile(join(dataDir, "admin.token"), "utf8")}`;
    const install = {
      method: "POST",
      path: "/connectors/install",
      headers: { authorization },
      body: { url: "processor" },
    };
    expect(await callApi(muster.url, install)).toMatchObject({ name: "Processor" });
    await useAndStop(muster);
    expect(await readdir(dataDir)).toEqual(expect.arrayContaining(["admin.token", "postgres"]));
    expect(image.user).toBe("node");
    expect(image.volumes).toEqual(["/data"]);
  });

  test("has the muster command on its path", async () => {
    const { stdout } = await run("muster", ["--version"], { cwd: image.folder, env: image.environment });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  });

  test("holds the builds of the connectors that come with Muster", async () => {
    const names = (await readdir(join(REPOSITORY, "connector-apps"))).filter((name) => name !== "testing");
    expect(await readdir(join(image.folder, "connector-apps"))).toEqual(names);
    for (const name of names) {
      const entry = name === "destinations" ? "index.js" : "create-connector.js";
      const file = join(image.folder, "connector-apps", name, "dist", entry);
      expect(spawnSync(process.execPath, ["--check", file]).status, name).toBe(0);
    }
  });

  test("holds no sources and no development tools", async () => {
    const installed = await readdir(join(image.folder, "node_modules"));
    expect(installed).toContain("fastify");
    for (const tool of ["typescript", "vitest", "vite", "rolldown", "knip", "tsx", "playwright-core"]) {
      expect(installed).not.toContain(tool);
    }
    const { stdout } = await run("find", [join(image.folder, "apps"), "-name", "*.ts", "-not", "-name", "*.d.ts"]);
    expect(stdout).toBe("");
  });
});

describe("the systemd unit", () => {
  const path = join(REPOSITORY, "ops/systemd/muster.service");

  test("starts the server in the folder of an installation, with its data in the state directory", async () => {
    const { Service: service } = readUnit(await readFile(path, "utf8"));
    const state = join(parent, "state");
    await mkdir(state);
    if (process.getuid?.() === 0) await chown(state, NOBODY, NOBODY);
    const environment = Object.fromEntries(
      (service?.Environment ?? []).map((line) => line.split("=") as [string, string]),
    );
    expect(environment.DATA_DIR).toBe(`/var/lib/${service?.StateDirectory}`);
    const muster = startMuster({
      dataDir: state,
      port: await freePort(),
      command: unprivileged((service?.ExecStart?.[0] ?? "").split(" ")),
      folder: image.folder,
      environment: { ...environment, DATA_DIR: state },
    });
    await muster.ready();
    await useAndStop(muster);
  });

  test("has no fault that systemd finds, and gives the server few rights", async ({ skip }) => {
    skip(spawnSync("systemd-analyze", ["--version"]).status !== 0, "There is no systemd-analyze.");
    expect(spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" }).stderr).toBe("");
    // From 0 (a service that can do nothing) to 100 (one that can do everything).
    const { status, stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", "--threshold=25", path], {
      encoding: "utf8",
    });
    expect(status, stdout).toBe(0);
  });
});

function programOf([program, ...args]: [string, ...string[]]): [string, string[]] {
  return [program, args];
}
