import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ConnectorApp, smartManifest } from "../../../../../apps/server/src/testing/connector-app.js";
import { type CliServer, openCliServer } from "../../testing/cli-server.js";

const MANIFEST = smartManifest({
  name: "Mailer",
  version: "1.2.0",
  settings: [
    { name: "region", type: "string", default: "us" },
    { name: "batch_size", type: "integer" },
    { name: "active", type: "boolean" },
    { name: "shared", type: "string" },
  ],
  private_settings: [
    { name: "api_key", type: "string", required: true },
    { name: "segments", type: "array", format: "segment" },
    { name: "shared", type: "string" },
  ],
  json: [{ url: "/lists" }],
  status: { url: "/status", type: "interval", value: 5 },
});

let served: CliServer;
let app: ConnectorApp;
let id: string;
let folder: string;
beforeAll(async () => {
  served = await openCliServer({ DELIVERY_RETRY_MS: "20", DELIVERY_ATTEMPTS: "4" });
  app = await ConnectorApp.open(MANIFEST, ({ path }) =>
    path === "/lists" ? { lists: ["news\u001b[2J"] } : { flow_control: { type: "next" } },
  );
  ({ id } = await served.json(["connector", "install", app.url]));
  folder = await mkdtemp(join(tmpdir(), "muster-cli-"));
});
afterAll(async () => {
  await app.close();
  await served.close();
  await rm(folder, { recursive: true });
});

const cli = (...args: string[]) => served.cli(["connector", ...args]);
const json = (...args: string[]) => served.json(["connector", ...args]);

test("list and show find the connector by its id and by its name, and mask its secrets", async () => {
  expect(await json("list")).toContainEqual(expect.objectContaining({ id, name: "Mailer", enabled: true }));
  await json("set", id, "api_key=hunter2");
  for (const given of [id, "Mailer", "mailer"]) {
    expect(await json("show", given)).toMatchObject({
      id,
      secret: "********",
      private_settings: { api_key: "********" },
    });
  }
  const { stdout } = await cli("show", "Mailer");
  expect(stdout).toMatch(/version {2}1\.2\.0/);
  expect(stdout).not.toContain("hunter2");
  const revealed = await json("show", "Mailer", "--secrets");
  expect(revealed).toMatchObject({
    private_settings: { api_key: "hunter2" },
    secret: expect.stringMatching(/^\w{20,}$/),
  });
});

test("a name that two connectors have is refused, and the ids are named", async () => {
  const first = await json("create", "Twin");
  const second = await json("create", "Twin");
  const { code, stderr } = await cli("credentials", "Twin");
  expect(code).toBe(2);
  expect(stderr).toContain(first.id);
  expect(stderr).toContain(second.id);
  expect(await cli("credentials", "Nobody")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no connector "Nobody"/),
  });
});

test("check finds what is wrong with the manifest in a file", async () => {
  const file = join(folder, "manifest.json");
  await writeFile(file, JSON.stringify(MANIFEST));
  expect(await cli("check", file)).toMatchObject({ code: 0, stdout: "The manifest is valid.\n" });
  await writeFile(file, JSON.stringify({ ...MANIFEST, private_settings: [{ name: "key", type: "text" }] }));
  const { code, stdout, stderr } = await cli("check", file);
  expect([code, stderr]).toEqual([1, "Parts of the manifest are invalid, and Muster will not use them.\n"]);
  expect(stdout).toMatch(/^error: private_settings\.0\.type /);
  expect(await cli("check", join(folder, "missing.json"))).toMatchObject({ code: 2 });
});

test("credentials --env prints what a shell needs to call the API", async () => {
  const { id: api, secret } = await json("create", "Shell");
  const { stdout } = await served.cli(["connector", "credentials", "Shell", "--env", "--url", `${served.server.url}/`]);
  const printed = `${stdout}\nprintenv MUSTER_URL MUSTER_ID MUSTER_SECRET`;
  const shell = await promisify(execFile)("bash", ["-euc", printed]);
  expect(shell.stdout.trim().split("\n")).toEqual([served.server.url, api, secret]);
});

test("credentials --env prints the address of the organization, which the command and clients take", async () => {
  await served.json(["org", "create", "globex"]);
  const { id, secret, write_key } = await served.json(["connector", "create", "Shop", "--org", "globex"]);
  const printed = await served.json(["connector", "credentials", "Shop", "--org", "globex", "--env"]);
  const { port } = new URL(served.server.url);
  expect(printed).toEqual({
    MUSTER_URL: `http://globex.localhost:${port}`,
    MUSTER_ID: id,
    MUSTER_SECRET: secret,
    MUSTER_WRITE_KEY: write_key,
  });
  // Clients name the organization by the host of the address.
  const headers = {
    "Svc-App-Id": id,
    "Svc-Access-Token": secret,
    "Svc-Organization": new URL(printed.MUSTER_URL).host,
  };
  expect((await fetch(`${served.server.url}/api/v1/app`, { headers })).status).toBe(200);
  const environment = { MUSTER_URL: printed.MUSTER_URL };
  expect(await served.json(["connector", "list"], { environment })).toMatchObject([{ id }]);
});

describe("set", () => {
  const settings = async () => {
    const { settings: open, private_settings } = await json("show", "Mailer", "--secrets");
    return { ...open, ...private_settings };
  };

  test("reads each value by the declared type, and shows what changed", async () => {
    const { changes } = await json(
      "set",
      "Mailer",
      "batch_size=50",
      "active=yes",
      'segments=["ALL"]',
      "settings.other=7",
    );
    expect(changes).toEqual([
      { setting: "settings.batch_size", before: null, after: 50 },
      { setting: "settings.active", before: null, after: true },
      { setting: "private_settings.segments", before: null, after: ["ALL"] },
      { setting: "settings.other", before: null, after: "7" },
    ]);
    expect(await settings()).toMatchObject({
      region: "us",
      batch_size: 50,
      active: true,
      segments: ["ALL"],
      other: "7",
    });
    expect((await cli("set", "Mailer", "batch_size=50")).stdout).toMatch(/^Nothing changed/);
  });

  test("takes JSON with :=, and clears with an empty value", async () => {
    await json("set", "Mailer", 'region:="@eu"', 'settings.nested:={"a":[1]}');
    expect(await settings()).toMatchObject({ region: "@eu", nested: { a: [1] } });
    const { changes } = await json("set", "Mailer", "region=");
    expect(changes).toEqual([{ setting: "settings.region", before: "@eu", after: null }]);
  });

  test("reads secrets from a file and from standard input, and never shows them", async () => {
    const file = join(folder, "key");
    await writeFile(file, "from-file\n");
    const set = await cli("set", "Mailer", `api_key=@${file}`);
    expect(set.stdout).toMatch(/private_settings\.api_key +\*{8} +\*{8} \(changed\)/);
    expect((await settings()).api_key).toBe("from-file");
    await served.json(["connector", "set", "Mailer", "api_key=-"], { input: "from stdin = yes\n" });
    expect((await settings()).api_key).toBe("from stdin = yes");
    const typed = await served.cli(["connector", "set", "Mailer", "api_key=-"], { input: "typed\n", terminal: 80 });
    expect(typed.stdout + typed.stderr).not.toContain("typed");
    expect((await settings()).api_key).toBe("typed");
  });

  test.each([
    ["batch_size=many", /^batch_size: "many" is not a number\.\n$/],
    ["active=maybe", /^active: "maybe" is not true or false\.\n$/],
    ["segments=[oops-secret", /^segments: the value is not valid JSON: line 1, column 2\.\n$/],
    ["shared=x", /settings\.shared or private_settings\.shared/],
    ["unknown=x", /declares no setting "unknown"\. It declares settings\.region, .*private_settings\.unknown/],
    ["nonsense", /"nonsense" is not like KEY=VALUE/],
    ["=x", /is not like KEY=VALUE/],
    ["api_key=@/nonexistent", /\/nonexistent cannot be read/],
  ])("refuses %s and changes nothing", async (assignment, message) => {
    const before = await settings();
    const { code, stderr, stdout } = await cli("set", "Mailer", "settings.touched=1", assignment);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(await settings()).toEqual(before);
  });

  test("passes on what the server refuses", async () => {
    const { code, stderr } = await cli("set", "Mailer", 'batch_size:="x"');
    expect([code, stderr]).toEqual([1, "The connector cannot be changed: body.settings.batch_size must be integer.\n"]);
  });
});

describe("enable and disable", () => {
  test("disable asks before messages are dropped", async () => {
    const unasked = await cli("disable", "Mailer");
    expect([unasked.code, unasked.stderr]).toEqual([
      4,
      expect.stringMatching(/dropped while it is disabled.*add --yes/),
    ]);
    const no = await served.cli(["connector", "disable", "Mailer"], { terminal: 80, input: "n\n" });
    expect([no.code, no.stderr]).toEqual([4, expect.stringMatching(/\[y\/N\].*Nothing was changed\.\n$/s)]);
    expect((await json("show", "Mailer")).enabled).toBe(true);
    const yes = await served.cli(["connector", "disable", "Mailer"], { terminal: 80, input: "y\n" });
    expect([yes.code, yes.stdout]).toEqual([0, expect.stringMatching(/disabled \(messages: drop\)/)]);
    expect(await json("enable", "Mailer")).toMatchObject({ id, enabled: true });
  });

  test("disable does not ask when messages are held", async () => {
    expect(await json("disable", "Mailer", "--messages", "hold")).toMatchObject({
      enabled: false,
      when_disabled: "hold",
    });
    expect(await json("enable", "Mailer")).toMatchObject({ enabled: true });
  });
});

test("refresh reads the manifest again", async () => {
  app.manifest = { ...MANIFEST, version: "1.3.0" };
  expect(await json("refresh", "Mailer")).toMatchObject({ id, version: "1.3.0", problems: [] });
});

test("status shows the delivery to all connectors, and more of one", async () => {
  expect(await json("status")).toContainEqual(
    expect.objectContaining({ id, status: "ok", delivery: expect.objectContaining({ circuit: "closed" }) }),
  );
  expect(await json("status", "Mailer")).toMatchObject({
    id,
    schedules: [{ kind: "status", url: "/status" }],
    history: [{ status: "ok", source: "install" }],
  });
  expect((await cli("status")).stdout).toMatch(/^ID +NAME +STATUS +WAITING/);
  expect((await cli("status", "Mailer")).stdout).toMatch(/circuit +closed/);
});

test("call prints the answer of the connector without control characters", async () => {
  expect(await json("call", "Mailer", "/lists", "--body", '{"limit": 1}')).toEqual({ lists: ["news\u001b[2J"] });
  expect((await cli("call", "Mailer", "/lists")).stdout).toBe('{\n  "lists": [\n    "news\\u001b[2J"\n  ]\n}\n');
  expect(await cli("call", "Mailer", "/other")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: 'The connector declares no endpoint "/other".\n',
  });
  expect((await cli("call", "Mailer", "/lists", "--body", "[1]")).stderr).toBe("The body must be a JSON object.\n");
});

describe("logs", () => {
  const log = async (message: string, level = "info") => {
    const answer = await served.server.app.inject({
      method: "POST",
      url: `/api/v1/${id}/logs`,
      headers: served.server.operatorHeaders,
      payload: { message, level, data: { note: "\u001b[31mred" } },
    });
    expect(answer.statusCode).toBe(200);
  };

  test("are shown with the latest at the end, one line each, and as NDJSON", async () => {
    await log("first\nline");
    await log("second", "error");
    const { stdout } = await cli("logs", "Mailer");
    expect(stdout).toMatch(/^\S+Z {2}info {3}first line .*\n\S+Z {2}error {2}second .*\n$/);
    expect(stdout).not.toContain("\u001b");
    const lines = (await cli("logs", "Mailer", "--json", "--level", "error")).stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ message: "second", level: "error" }]);
  });

  test("are followed until the command is stopped", async () => {
    const stop = new AbortController();
    let shown = "";
    const following = served.cli(["connector", "logs", "Mailer", "--follow", "--limit", "1"], {
      signal: stop.signal,
      onOutput: (stdout) => {
        shown = stdout;
      },
    });
    await vi.waitFor(() => expect(shown).toContain("second"));
    await log("third");
    await log("third");
    await vi.waitFor(() => expect(shown.match(/third/g)).toHaveLength(2), { timeout: 15_000 });
    stop.abort();
    const { code, stdout } = await following;
    expect(code).toBe(0);
    expect(stdout.match(/second|third/g)).toEqual(["second", "third", "third"]);
  });
});

describe("dead letters", () => {
  const dead = (...args: string[]) => served.cli(["connector", "dead-letters", ...args]);

  test("are listed, shown, sent again and discarded", async () => {
    const { respond } = app;
    app.respond = (_call, response) => response.writeHead(422).end("\u009b2J cannot digest") && undefined;
    await served.json(["import", "users", "-", "--notify"], {
      input: '{"external_id": "d1"}\n{"external_id": "d2"}',
    });
    const letters: { id: number; entity_id: string }[] = await vi.waitFor(
      async () => {
        const listed = await json("dead-letters", "list", "--connector", "Mailer", "--channel", "user:update");
        expect(listed).toHaveLength(2);
        return listed;
      },
      { timeout: 30_000 },
    );
    app.respond = respond;
    const [first = "", second = ""] = letters.map(({ id: number }) => String(number));
    expect((await dead("list", "--limit", "1")).stdout.trim().split("\n")).toHaveLength(2);
    expect((await dead("--reason", "nothing like it")).stdout).toBe("No dead letters.\n");
    const shown = await dead("show", first);
    expect(JSON.parse(shown.stdout)).toMatchObject({ connector_id: id, answer: { status: 422 } });
    expect(shown.stdout).not.toMatch(/(?!\n)\p{Cc}/u);

    expect((await dead("discard", first)).stderr).toMatch(/are discarded for good.*add --yes/);
    expect(await json("dead-letters", "discard", first, "--yes")).toEqual({ discarded: 1 });
    expect(await json("dead-letters", "retry", second)).toEqual({ retried: 1 });
    expect(await json("dead-letters", "retry", "--connector", "Mailer")).toEqual({ retried: 0 });
    const about = letters[1]?.entity_id ?? "";
    await vi.waitFor(
      async () => {
        const traces: { result: string }[] = await served.json(["user", "traces", about]);
        expect(traces.map(({ result }) => result)).toContain("delivered");
      },
      { timeout: 30_000 },
    );
    expect((await served.cli(["user", "traces", about])).stdout).toMatch(/^SENT +CONNECTOR +CHANNEL/);
  });

  test.each(["retry", "discard"])("%s wants to know which", async (act) => {
    expect(await dead(act)).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Say which: give numbers/) });
    expect((await dead(act, "x", "--all")).code).toBe(2);
    expect(await dead("show", "999999")).toMatchObject({ code: 1, stderr: "There is no dead letter 999999.\n" });
  });
});

test("uninstall asks, and removes the connector", async () => {
  const { id: doomed } = await json("create", "Doomed");
  expect(await cli("uninstall", "Doomed")).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/removed for good/),
  });
  expect(await json("uninstall", "Doomed", "--yes")).toEqual({ id: doomed, deleted: true });
  expect((await cli("show", doomed)).code).toBe(1);
});

describe("write keys", () => {
  const keys = (...args: string[]) => served.cli(["write-key", ...args]);
  const keysJson = (...args: string[]) => served.json(["write-key", ...args]);

  test("of a new connector are one server key, which is printed once and masked later", async () => {
    const { write_key } = await json("create", "Source");
    expect(write_key).toMatch(/^wks_[A-Za-z0-9]{32}$/);
    expect(await keysJson("list", "Source")).toMatchObject([{ kind: "server", name: "Server key", key: "********" }]);
    expect((await keys("list", "Source")).stdout).not.toContain(write_key);
    expect(await keysJson("list", "Source", "--secrets")).toMatchObject([{ key: write_key }]);
    expect(await json("credentials", "Source")).toMatchObject({ name: "Source", write_key });
  });

  test("are created by what may use them, rolled and deleted, which asks first", async () => {
    await json("create", "Website");
    const page = await keysJson("create", "Website", "Shop", "--domain", "shop.test", "--app", "com.example.shop");
    expect(page).toMatchObject({
      kind: "page",
      domains: ["shop.test"],
      apps: ["com.example.shop"],
      trust_identify: false,
      key: expect.stringMatching(/^wkp_/),
    });
    const trusted = await keys("create", "Website", "Intranet", "--domain", "intranet.test", "--trust-identify");
    expect(trusted.stdout).toMatch(/\ndomains and apps +intranet\.test\ntrusts identify +yes\n/);
    expect((await keysJson("create", "Website", "Billing")).key).toMatch(/^wks_/);
    const { stdout } = await keys("list", "Website");
    expect(stdout).toMatch(/^ID +NAME +KIND +KEY +DOMAINS AND APPS +LAST USED\n/);
    expect(stdout).toMatch(new RegExp(`Shop +page +${page.key} +shop\\.test, com\\.example\\.shop +never`));
    expect(stdout).toMatch(/Intranet +page, trusted +wkp_/);

    for (const act of ["roll", "delete"]) {
      expect(await keys(act, "Website", "Shop")).toMatchObject({
        code: 4,
        stdout: "",
        stderr: expect.stringMatching(/calls with it are refused\..*add --yes/),
      });
    }
    const rolled = await keysJson("roll", "Website", "shop", "--yes");
    expect([rolled.id, rolled.key === page.key]).toEqual([page.id, false]);
    expect(await keysJson("delete", "Website", page.id, "--yes")).toEqual({ id: page.id, deleted: true });
    expect(await keys("delete", "Website", "Shop", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no write key "Shop"\. `muster write-key list \w+` shows all\.\n$/),
    });
    expect(await keys("create", "Website", "Bad", "--domain", "https://shop.test")).toMatchObject({ code: 1 });
  });
});
