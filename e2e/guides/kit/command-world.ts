import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ConnectorApp, smartManifest } from "../../../apps/server/src/testing/connector-app.js";
import { openSeededServer, type SeededServer } from "../../../apps/server/src/testing/seeded-server.js";
import { ADMIN_TOKEN } from "../../../apps/server/src/testing/test-server.js";
import { muster, type Result, type RunOptions } from "../../../packages/cli/src/testing/muster.js";

const MAILER = smartManifest({
  name: "Mailer",
  settings: [
    { name: "region", type: "string" },
    { name: "batch_size", type: "integer" },
  ],
  private_settings: [
    { name: "api_key", type: "string" },
    { name: "segments", type: "array", format: "segment" },
  ],
  tags: ["smart-notifier", "kraken-exports"],
  json: [{ url: "/lists" }],
});

const PASSPHRASE = "correct horse battery staple";
const PRO = JSON.stringify({ term: { plan: "pro" } });

/** The files that examples read. */
const FILES: Record<string, string | Buffer> = {
  "backup.pass": `${PASSPHRASE}\n`,
  "key.txt": "hunter2\n",
  "manifest.json": JSON.stringify(MAILER),
  "people.csv": "email,age,score\nada@example.com,36,9\n",
  "events.ndjson.gz": gzipSync('{"event":"Signed up","email":"ada@example.com"}\n'),
  "query.json": '{"match_all":{}}',
  "pros.json": PRO,
  "new.json": PRO,
};

/** A server on which the examples of the command's page work, and a folder with the files that they name. */
export class CommandWorld {
  readonly folder: string;
  readonly #seeded: SeededServer;
  readonly #mailer: ConnectorApp;
  #deadLetters: string[] = [];

  private constructor(folder: string, seeded: SeededServer, mailer: ConnectorApp) {
    this.folder = folder;
    this.#seeded = seeded;
    this.#mailer = mailer;
  }

  static async open(): Promise<CommandWorld> {
    const folder = await mkdtemp(join(tmpdir(), "muster-examples-"));
    for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder, name), content);
    const answer = ({ path }: { path: string }) =>
      path === "/lists" ? { options: [] } : { flow_control: { type: "next" } };
    const mailer = await ConnectorApp.open(MAILER, answer);
    const world = new CommandWorld(folder, await openSeededServer(), mailer);
    const letters = await world.#list<{ id: number }>("connector", "dead-letters", "list");
    world.#deadLetters = letters.map(({ id }) => String(id));
    return world;
  }

  async close(): Promise<void> {
    await this.#seeded.close();
    await this.#mailer.close();
    await rm(this.folder, { recursive: true });
  }

  /** Runs the command in this process, against the server. */
  run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    return muster(args, { ...options, environment: this.environment() });
  }

  /** What the command reads of the environment. */
  environment(): Record<string, string> {
    const { url, dataDir } = this.#seeded.server;
    return {
      PATH: process.env.PATH ?? "",
      MUSTER_URL: url,
      MUSTER_ADMIN_TOKEN: ADMIN_TOKEN,
      MUSTER_BACKUP_PASSPHRASE: PASSPHRASE,
      DATA_DIR: dataDir,
    };
  }

  /** The example with ids and addresses of this world in place of those that it shows. */
  inThisWorld(example: string): string {
    const { values } = this.#seeded;
    const [first = "", second = ""] = this.#deadLetters;
    return (
      example
        .replace("org create acme", "org create acme-2")
        // Logs are cleaned of erased subjects once in ten minutes. Tests of the command wait for it on a server of their own.
        .replace(/( erase .*) --wait/, "$1")
        .replace("/var/lib/muster", join(this.folder, "restored"))
        // Everybody of this world has just become known.
        .replace(/( show .*--at) 7d/, `$1 ${new Date().toISOString()}`)
        .replace("http://localhost:8082", this.#mailer.url)
        .replace("018f2c3e9a5c40d2a1000001", this.#jobOf(example))
        .replace("018f2c3e9a5c51d2a1000001", values.deployment)
        .replace("018f6d2b4c0010a1b2000005", values.mergedUser)
        .replace("018f6d2b4c0011a1b2000002", values.mergedAccount)
        .replace("018f6d2b4c0010a1b2000007-018f6d2b4c0010a1b2000008", values.decision)
        .replace('["5f…"]', JSON.stringify([values.usersSegment]))
        .replace(/\b17\b/, first)
        .replace(/\b18\b/, second)
    );
  }

  #jobOf(example: string): string {
    const { scheduledJob, importJob, job } = this.#seeded.values;
    return example.includes("cancel") ? scheduledJob : example.includes("revert") ? importJob : job;
  }

  /** The suite needs no registry of npm: `npm run test:destinations` installs the package. Here it is there already. */
  async #pretendInstalled(): Promise<void> {
    const lock = new URL("../../../connector-apps/destinations/installation/package-lock.json", import.meta.url);
    const folder = join(this.#seeded.server.dataDir, "destinations");
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "installed.txt"),
      createHash("sha256")
        .update(await readFile(lock))
        .digest("hex"),
    );
  }

  /** Makes what the example works on, and removes what it makes. */
  async prepareFor(example: string): Promise<void> {
    const isCreation = / create /.test(example);
    if (example.includes("--org acme")) return;
    if (example.includes("destinations start")) await this.#pretendInstalled();
    const segment = ["--query", PRO];
    if (example.includes("Pros")) await this.#ensure(["segment"], "Pros", ["create", "Pros", ...segment], isCreation);
    if (example.includes("Newsletter"))
      await this.#ensure(["segment"], "Newsletter", ["create", "Newsletter", ...segment]);
    if (example.includes("computed") && !isCreation) await this.#ensureComputed("orders");
    if (example.includes(" restore Pros")) await this.#json("segment", "update", "Pros", "--query", PRO);
    if (example.includes("Orders by week")) await this.#saveInsight("Orders by week");
    if (example.includes("platform"))
      await this.#ensure(["platform"], "Shop", ["create", "Shop", "--domain", "x.example"], isCreation);
    for (const name of ["My shop", "Banner", "Shop"]) {
      if (example.includes(name)) await this.#ensure(["connector"], name, ["create", name]);
    }
    if (example.includes("Mailer")) await this.#ensure(["connector"], "Mailer", ["install", this.#mailer.url]);
    const people = example.includes('--delimiter ";"') ? "E-Mail;Customer\nada@example.com;42\n" : FILES["people.csv"];
    await writeFile(join(this.folder, "people.csv"), people ?? "");
    if (example.includes(" logs ")) await this.#log("Mailer");
    if (example.includes("ada@example.com") || example.includes("account ")) await this.#sendAda();
  }

  async #ensure(noun: string[], name: string, create: string[], isUnwanted = false): Promise<void> {
    const all = await this.#list<{ id: string; name: string; namespace?: string }>(...noun, "list");
    const found = all.filter((each) => each.name === name || each.namespace === name);
    if (isUnwanted) for (const { id } of found) await this.#json(...noun, "delete", id, "--yes");
    else if (found.length === 0) await this.#json(...noun, ...create);
  }

  async #ensureComputed(name: string): Promise<void> {
    const all = await this.#list<{ name: string }>("computed", "list");
    if (all.some((each) => each.name === name)) return;
    const count = JSON.stringify({ count: { event: "Ordered" } });
    await this.#json("computed", "create", name, "--compute", count, "--replace", "--wait");
  }

  async #saveInsight(name: string): Promise<void> {
    const { app, operatorHeaders: headers } = this.#seeded.server;
    const question = { trend: { series: [{ event: "Ordered", measure: "count" }], interval: "week" } };
    await app.inject({ method: "POST", url: "/api/v1/insights", headers, payload: { name, question } });
  }

  async #log(name: string): Promise<void> {
    const all = await this.#list<{ id: string; name: string }>("connector", "list");
    const { app, operatorHeaders: headers } = this.#seeded.server;
    const url = `/api/v1/${all.find((each) => each.name === name)?.id}/logs`;
    await app.inject({ method: "POST", url, headers, payload: { message: "Oh", level: "error" } });
  }

  async #sendAda(): Promise<void> {
    const { connector } = this.#seeded;
    const ada = { user: { email: "ada@example.com" }, account: { domain: "example.com" } };
    await connector.settle([connector.traits(ada, { plan: "pro" }), connector.track(ada, "Signed up")]);
  }

  async #list<Item>(...args: string[]): Promise<Item[]> {
    // The command prints the list that the API answers.
    return (await this.#json(...args)) as Item[];
  }

  async #json(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run([...args, "--json"]);
    if (code !== 0) throw new Error(`muster ${args.join(" ")} failed: ${stderr}`);
    return JSON.parse(stdout);
  }
}
