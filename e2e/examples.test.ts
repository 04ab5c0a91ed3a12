// @module-tag long
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { canTest, isInstalled } from "../testing/can-test.js";
import { freePort } from "../testing/free-port.js";
import { startWebServer } from "../testing/start-web-server.js";
import { guideBlock } from "./guides/kit/guide-block.js";
import { LocalPorts } from "./guides/kit/local-ports.js";
import { ShellSession } from "./guides/kit/shell-session.js";
import { type MusterProcess, REPOSITORY, startMuster } from "./support/muster-process.js";
import { prepareDataDir } from "./support/prepare-data-dir.js";

// Every example, as its page says, against a real server.

const TIMEOUT = { timeout: 60_000, interval: 100 };

const RUNNABLE = canTest(
  isInstalled("bash") && isInstalled("curl"),
  "The examples are not run: bash, curl and openssl are needed on the path.",
);

let folder: string;
let muster: MusterProcess;
let ports: LocalPorts;
let shell: ShellSession;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-examples-"));
  const port = await freePort();
  ports = new LocalPorts(port);
  const dataDir = join(folder, "data");
  await prepareDataDir(dataDir);
  muster = startMuster({
    dataDir,
    port,
    command: [process.execPath, "apps/server/bundle/main.js"],
    // The receivers of webhooks are on this machine.
    environment: { LOG_LEVEL: "error", ALLOW_PRIVATE_NETWORK: "true" },
  });
  await muster.ready();
  const environment = { PATH: process.env.PATH ?? "", HOME: folder, MUSTER_URL: muster.url, DATA_DIR: dataDir };
  shell = new ShellSession({ folder: REPOSITORY, notes: folder, environment });
  await run('eval "$(npx muster connector credentials API --env)"');
});
afterAll(async () => {
  await shell?.close();
  muster?.kill("SIGTERM");
  await muster?.ended;
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Runs commands in the root of the repository, with free ports instead of those that pages name. Returns what they print. */
async function run(commands: string): Promise<string> {
  const { ok, stdout, stderr } = await shell.run(await ports.replaceIn(commands));
  if (!ok) throw new Error(`${commands}\nfailed:\n${stdout}\n${stderr}`);
  return stdout;
}

/** What all commands have printed so far, also those that run in the background. */
async function printed(): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".out"));
  return (await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
}

describe.runIf(RUNNABLE)("examples", () => {
  test("the curl scripts send, search, and make a segment", async () => {
    expect(JSON.parse(await run("examples/curl/gateway-batch.sh"))).toMatchObject({ accepted: 2, rejected: [] });
    await vi.waitFor(async () => {
      expect(JSON.parse(await run("examples/curl/search.sh"))).toMatchObject({
        data: [{ email: "ada@example.com", traits_plan: "pro", traits_visits: 1 }],
        aggregations: { plans: { buckets: [{ key: "pro", doc_count: 1 }] } },
      });
    }, TIMEOUT);
    const [segment = "", members = ""] = (await run("examples/curl/segment.sh 'Pro customers'")).trim().split("\n");
    expect(JSON.parse(segment)).toMatchObject({ name: "Pro customers" });
    expect(JSON.parse(members)).toMatchObject({ data: [{ email: "ada@example.com" }] });
  });

  test("the curl scripts import a CSV file and extract it again", async () => {
    const file = join(folder, "people.csv");
    await writeFile(file, "email,plan\ngrace@example.com,free\nmary@example.com,free\n");
    expect(JSON.parse(await run(`examples/curl/import.sh ${file}`))).toMatchObject({
      status: "completed",
      progress: { processed: 2 },
    });
    const extracted = join(folder, "extracted.csv");
    await run(`examples/curl/extract.sh ${extracted}`);
    expect(await readFile(extracted, "utf8")).toContain('"mary@example.com","free"');
  });

  test("the website is served with the tag of its platform", async () => {
    await run('npx muster platform create "Tea shop" --domain localhost');
    await run('node examples/website/serve.js "Tea shop" 8081 &');
    const page = await run("curl -sS --retry 60 --retry-delay 1 --retry-connrefused http://localhost:8081/");
    const library = /<script[^>]+src="([^"]+)"/.exec(page)?.[1] ?? "";
    expect((await fetch(library)).headers.get("content-type")).toContain("javascript");
  });

  test("the Express server sends users and orders, and takes only webhooks with a right signature", async () => {
    const shown = await run(guideBlock("examples/express/README.md", "run"));
    expect(shown).toContain("ada@example.com");
    await run(guideBlock("examples/express/README.md", "webhooks"));
    const forged = "curl -sS -X POST http://127.0.0.1:8082/webhooks -H 'X-Signature: t=1,v1=00' -d '{}'";
    expect(await run(forged)).toContain("The signature is missing or wrong.");
    await run(
      'curl -sS http://127.0.0.1:8082/signup -H \'Content-Type: application/json\' -d \'{"id": "43", "email": "bob@example.com"}\'',
    );
    await vi.waitFor(async () => {
      expect(await printed()).toContain("webhook user.created  bob@example.com");
    }, TIMEOUT);
  });

  test("the curl script for webhooks has an address called", async () => {
    const called: string[] = [];
    const receiver = await startWebServer((request, response) => {
      called.push(String(request.headers["x-signature"]));
      response.end();
    });
    const token = "export WEBHOOK_SECRET='a secret' MUSTER_ADMIN_TOKEN=$(cat $DATA_DIR/admin.token)";
    await run(`${token}; examples/curl/webhook.sh ${receiver.url}`);
    await run("examples/curl/gateway-batch.sh");
    await vi.waitFor(() => expect(called[0]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/), TIMEOUT);
    await receiver.close();
  });
});
