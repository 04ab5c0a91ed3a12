// @module-tag long
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "../testing/free-port.js";
import { startWebServer, type WebServer } from "../testing/start-web-server.js";
import { MUSTER, type MusterProcess, startMuster } from "./support/muster-process.js";
import { prepareDataDir } from "./support/prepare-data-dir.js";
import { processesMentioning } from "./support/processes-mentioning.js";

let parent: string;
let dataDir: string;
let server: MusterProcess;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-cli-"));
  dataDir = join(parent, "data dir");
  await prepareDataDir(dataDir);
  const port = await freePort();
  const flags = ["start", "--port", String(port), "--data-dir", dataDir, "--json"];
  server = startMuster({
    dataDir,
    port,
    command: [process.execPath, MUSTER, ...flags],
    // Flags win over the environment.
    environment: { PORT: "1", DATA_DIR: "/nonexistent" },
  });
  await server.ready();
});
afterAll(async () => {
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  expect(await processesMentioning(dataDir)).toEqual([]);
  // What the command would ask for, and where it would send the token, if a server ran.
  await expect(readFile(join(dataDir, "server.json"))).rejects.toThrow("ENOENT");
  await rm(parent, { recursive: true, force: true });
});

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the real command in an empty folder, with only the given settings in its environment. An empty one is left out. */
function muster(args: string[], environment: Record<string, string> = {}): Promise<Result> {
  const named: Record<string, string> = { MUSTER_URL: server.url, DATA_DIR: dataDir, ...environment };
  const given = Object.entries(named).filter(([, value]) => value !== "");
  const env = { PATH: process.env.PATH, ...Object.fromEntries(given) };
  return new Promise((resolve) => {
    execFile(process.execPath, [MUSTER, ...args], { cwd: parent, env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

async function json(args: string[]) {
  const { code, stdout, stderr } = await muster([...args, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

test("start --json announces the server as one line of JSON", async () => {
  // The server is ready a moment before it says so.
  const line = await vi.waitFor(() => {
    const found = /^\{"version".*\}$/m.exec(server.output())?.[0];
    expect(found).toBeDefined();
    return found ?? "";
  });
  expect(JSON.parse(line)).toMatchObject({
    url: server.url,
    firehose_url: `${server.url}/firehose`,
    docs_url: `${server.url}/docs`,
    sign_in_url: expect.stringMatching(/\/sign-in\/link\/[\w-]{43}$/),
    connector: { id: expect.stringMatching(/^[0-9a-f]{24}$/), secret: expect.any(String) },
  });
});

describe("the server of the data directory", () => {
  const without = { MUSTER_URL: "" };
  const heard: (string | undefined)[] = [];
  let stranger: WebServer;
  beforeAll(async () => {
    stranger = await startWebServer((request, response) => {
      heard.push(request.headers.authorization);
      response.end(JSON.stringify({ status: "ok", proof: "0".repeat(64) }));
    });
  });
  afterAll(() => stranger.close());

  test("is found without its address", async () => {
    const { code, stdout } = await muster(["org", "list", "--json"], without);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ namespace: "default" }));
    expect((await stat(join(dataDir, "server.json"))).mode & 0o777).toBe(0o600);
  });

  test("alone gets the admin token, whatever answers at another address", async () => {
    const { code, stderr } = await muster(["status", "--url", stranger.url]);
    expect([code, stderr]).toEqual([
      1,
      `What answers at ${stranger.url} is not the server of the data directory ${dataDir}, so the admin token was not sent. The server of that directory is at ${server.url}.\n`,
    ]);
    expect(heard).not.toEqual([]);
    expect(heard.filter((authorization) => authorization !== undefined)).toEqual([]);
  });

  test("that has crashed is not confused with a program that has taken its port", async () => {
    const crashed = join(parent, "crashed");
    await mkdir(crashed);
    await writeFile(join(crashed, "admin.token"), "0".repeat(64));
    const none = await muster(["status", "--data-dir", crashed], without);
    expect([none.code, none.stderr]).toEqual([
      3,
      `No server is running with the data directory ${crashed}. Start one with \`muster start\`, name another directory with --data-dir or DATA_DIR, or name a server with --url or MUSTER_URL.\n`,
    ]);
    await writeFile(join(crashed, "server.json"), JSON.stringify({ url: stranger.url, key: "1".repeat(64) }));
    const { code, stderr } = await muster(["status", "--data-dir", crashed], without);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /so the admin token was not sent\. The server of that directory has ended without a clean stop/,
    );
    expect(heard.filter((authorization) => authorization !== undefined)).toEqual([]);
  });

  test("is not asked when another data directory is meant", async () => {
    const { code, stderr } = await muster(["status", "--data-dir", join(parent, "crashed"), "--url", server.url]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/is not the server of the data directory .*crashed, so the admin token was not sent/);
  });
});

test("org create and org list", async () => {
  const created = await json(["org", "create", "acme", "--name", "Acme Ltd"]);
  expect(created).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/), namespace: "acme", name: "Acme Ltd" });
  expect(await json(["org", "list"])).toContainEqual(expect.objectContaining(created));
  expect((await muster(["org", "list"])).stdout).toMatch(/^ID +NAMESPACE +NAME +STATE +CREATED\n/);
  const again = await muster(["org", "create", "acme"]);
  expect(again).toMatchObject({ code: 1, stderr: 'There is already an organization "acme".\n', stdout: "" });
});

test("connector create prints credentials that work, in the organization of --org", async () => {
  await json(["org", "create", "globex"]);
  const created = await json(["connector", "create", "Shop", "--org", "globex"]);
  expect(Object.keys(created)).toEqual(["id", "secret", "organization", "firehose_url", "write_key"]);
  expect(created).toMatchObject({
    organization: `globex.localhost:${new URL(server.url).port}`,
    firehose_url: `${server.url}/firehose`,
    write_key: expect.stringMatching(/^wks_[A-Za-z0-9]{32}$/),
  });
  const headers = { "Svc-App-Id": created.id, "Svc-Access-Token": created.secret, "Svc-Organization": "globex" };
  expect((await fetch(`${server.url}/api/v1/app`, { headers })).status).toBe(200);
  expect(await json(["connector", "list", "--org", "globex"])).toMatchObject([{ id: created.id, name: "Shop" }]);
  expect(await json(["connector", "list"])).not.toContainEqual(expect.objectContaining({ id: created.id }));
});

describe("connector install", () => {
  let app: WebServer;
  beforeAll(async () => {
    app = await startWebServer((request, response) => {
      const manifest = { name: "Hooks", version: "1" };
      if (request.url === "/manifest.json") response.end(JSON.stringify({ ...manifest, settings_sections: [] }));
      else if (request.url === "/odd/manifest.json") response.end(JSON.stringify(manifest));
      else response.writeHead(404).end();
    });
  });
  afterAll(() => app.close());

  test("prints the credentials of the connector that runs at the address", async () => {
    const installed = await json(["connector", "install", app.url]);
    expect(Object.keys(installed)).toEqual(["id", "secret", "organization", "name", "problems"]);
    expect([installed.name, installed.problems]).toEqual(["Hooks", []]);
  });

  test("warns of the problems of the manifest, beside the output", async () => {
    const { code, stderr } = await muster(["connector", "install", `${app.url}/odd`]);
    expect([code, stderr]).toEqual([0, "manifest error: settings_sections is required\n"]);
  });

  test("reports what is wrong with an address", async () => {
    const { code, stderr } = await muster(["connector", "install", "nonsense"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^No connector "nonsense" comes with Muster. These do: /),
    ]);
    const file = await muster(["connector", "install", "file:///etc/passwd"]);
    expect(file.stderr).toMatch(/^"file:\/\/\/etc\/passwd" is not an http or https address, nor one of /);
  });
});

test("connector credentials prints the id, the secret and the write key of a connector", async () => {
  const { id, secret, write_key } = await json(["connector", "create", "Forgotten"]);
  expect(await json(["connector", "credentials", id])).toEqual({ id, secret, name: "Forgotten", write_key });
  const { code, stderr } = await muster(["connector", "credentials", "0".repeat(24)]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^There is no /)]);
});

test("connector rotate-secret asks first, and does nothing without a terminal", async () => {
  const { id, secret } = await json(["connector", "create", "Rotated"]);
  const unasked = await muster(["connector", "rotate-secret", id]);
  expect(unasked.code).toBe(4);
  expect(unasked.stderr).toMatch(/stops working at once.*add --yes/);
  const works = (given: string) =>
    fetch(`${server.url}/api/v1/app`, { headers: { "Svc-App-Id": id, "Svc-Access-Token": given } }).then(
      ({ ok }) => ok,
    );
  expect(await works(secret)).toBe(true);

  const rotated = await json(["connector", "rotate-secret", id, "--yes"]);
  expect(rotated.id).toBe(id);
  expect([await works(secret), await works(rotated.secret)]).toEqual([false, true]);
});

test("formulas are texts in a CSV file that is extracted, and are unchanged when it is imported again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-csv-"));
  try {
    const [input, csv] = [join(folder, "in.ndjson"), join(folder, "out.csv")];
    const users = ["=1+1", "'=1+1", "-1+1", "-5", "@x", "+31 20", "\t=1", "'s", "plain"].map((note, index) => ({
      external_id: `formula-${index}`,
      note,
      "=odd": note,
      balance: -index,
    }));
    await writeFile(input, users.map((user) => JSON.stringify(user)).join("\n"));
    const wanted = ["--query", JSON.stringify({ prefix: { external_id: "formula-" } })];
    const extract = async () => {
      await json([
        "extract",
        "users",
        ...wanted,
        "--format",
        "csv",
        "--fields",
        "external_id,note,=odd,balance",
        "--out",
        csv,
      ]);
      return readFile(csv, "utf8");
    };
    await json(["import", "users", input]);
    const content = await extract();
    expect(content).toMatch(/^"external_id","note","'=odd","balance"\r\n/);
    expect(content).toContain(`"formula-0","'=1+1","'=1+1","0"\r\n`);
    expect(content).toContain('"formula-3","-5","-5","-3"\r\n');
    expect(content).not.toMatch(/(^|,)"[=+@]/m);
    await json(["import", "users", csv, "--overwrite"]);
    expect((await extract()).split("\r\n").sort()).toEqual(content.split("\r\n").sort());
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("rebuild asks first, waits until it is done, and reports every organization with --all", async () => {
  const unasked = await muster(["rebuild"]);
  expect(unasked.code).toBe(4);
  expect(unasked.stderr).toMatch(/incomplete until the rebuild is done.*add --yes/);
  const { code, stdout } = await muster(["rebuild", "--all", "--yes", "--json"]);
  expect(code).toBe(0);
  const rebuilds: { organization: string; phase: string }[] = JSON.parse(stdout);
  expect(rebuilds.map(({ organization }) => organization)).toContain("default");
  expect(new Set(rebuilds.map(({ phase }) => phase))).toEqual(new Set(["done"]));
});

test("status shows jobs and connectors", async () => {
  const status = await json(["status"]);
  expect(status.jobs).toEqual([]);
  expect(status.connectors[0]).toMatchObject({ name: "API", status: "ok" });
  expect((await muster(["status"])).stdout).toContain("No active jobs.");
});

describe("config", () => {
  test("prints the settings in effect, secrets masked, from the environment and .env", async () => {
    await writeFile(join(parent, ".env"), "BRAND=Hull\nSECRET_KEY=hunter2\n");
    try {
      const { stdout } = await muster(["config", "--json"], { PORT: "9999" });
      expect(stdout).not.toContain("hunter2");
      const values = Object.fromEntries(
        JSON.parse(stdout).map(({ env, value }: { env: string; value: string }) => [env, value]),
      );
      expect(values).toMatchObject({ BRAND: "Hull", SECRET_KEY: "********", PORT: "9999", DATA_DIR: dataDir });
    } finally {
      await rm(join(parent, ".env"));
    }
  });

  test("names every invalid setting", async () => {
    const { code, stderr } = await muster(["config"], { PORT: "x", LOG_LEVEL: "y" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/PORT expects[\s\S]*LOG_LEVEL expects/);
  });
});

describe("doctor", () => {
  test("reports no problem of a healthy server", async () => {
    const findings = await json(["doctor"]);
    expect(findings.map(({ check, verdict }: { check: string; verdict: string }) => [check, verdict])).toEqual([
      ["node", "ok"],
      ["port", "ok"],
      ["engines", "ok"],
      ["data directory", "ok"],
      ["time", "ok"],
      ["version", "ok"],
      ["PostgreSQL", expect.stringMatching(/ok|warning/)],
      ["Clocks", "ok"],
      ["Question engine", expect.stringMatching(/ok|warning/)],
      ["Disk", expect.stringMatching(/ok|warning/)],
      ["Pipeline", "ok"],
      ["Deliveries", "ok"],
      ["Versions", "ok"],
      ["Processes", "ok"],
      ["Sizes", "ok"],
      ["Connections", "ok"],
      ["Lag of apply", "ok"],
      ["Lag of search", "ok"],
      ["Connectors", "ok"],
      ["Bundled connectors", "ok"],
      ["Address", "ok"],
      ["Mail", "ok"],
    ]);
  });

  test("says what it cannot check without the admin token, and checks the rest", async () => {
    const { code, stdout } = await muster(["doctor", "--data-dir", join(parent, "empty")]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/warn {2}server: not checked further\n {6}There is no admin token at .*empty/);
    expect(stdout).toMatch(/(ok {2}|warn|FAIL) {2}disk: /);
  });

  test("reports a port that another program uses, and exits with 1", async () => {
    const other = await startWebServer((_request, response) => response.end("hello"));
    const { code, stdout } = await muster(["doctor", "--url", other.url]);
    await other.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL {2}port: a program other than Muster answers/);
  });

  test("reports a data directory that is not a directory", async () => {
    await writeFile(join(parent, "file"), "");
    const { code, stdout } = await muster(["doctor", "--data-dir", join(parent, "file")]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL {2}data directory: .* is not a directory/);
  });
});

describe("the command says what to do", () => {
  test("when no server is running", async () => {
    const { code, stderr } = await muster(["status"], { MUSTER_URL: `http://127.0.0.1:${await freePort()}` });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^No server is running at http:\/\/127\.0\.0\.1:\d+\. Start one with `muster start`/);
  });

  test("when the admin token is wrong", async () => {
    const { code, stderr } = await muster(["status"], { MUSTER_ADMIN_TOKEN: "wrong" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/does not accept the admin token.*admin\.token.*MUSTER_ADMIN_TOKEN/);
  });

  test("when there is no admin token", async () => {
    const { code, stderr } = await muster(["status", "--data-dir", join(parent, "empty")]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/There is no admin token at .*empty\/admin\.token/);
  });

  test("when the organization is unknown", async () => {
    const { code, stderr } = await muster(["connector", "list", "--org", "nobody"]);
    expect(code).toBe(1);
    expect(stderr).toBe('There is no organization "nobody". `muster org list` shows all organizations.\n');
  });

  test("when the server uses another brand, instead of working on another organization", async () => {
    await muster(["org", "create", "branded"]);
    const { code, stderr } = await muster(["connector", "create", "X", "--org", "branded"], { BRAND: "Hull" });
    expect(code).toBe(2);
    expect(stderr).toMatch(/The server used the organization "default" instead of "branded".*set BRAND/);
  });

  test("when the address is not a URL", async () => {
    expect(await muster(["status", "--url", "localhost"])).toMatchObject({
      code: 2,
      stderr: '"localhost" is not the address of a server: give one like http://127.0.0.1:8080.\n',
    });
  });

  test("when the command is unknown", async () => {
    const { code, stderr } = await muster(["statsu"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/unknown command 'statsu'[\s\S]*Did you mean status\?[\s\S]*--help/);
  });
});

test("output that its reader closes early is no error", async () => {
  const script = `"$0" "$1" config | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script, process.execPath, MUSTER], {
    cwd: parent,
  });
  expect([stdout.split("\n")[0]?.slice(0, 7), stdout.trim().split("\n").at(-1), stderr]).toEqual(["SETTING", "0", ""]);
});
