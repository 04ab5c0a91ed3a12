import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ConfigError, describeConfig, readConfig } from "./config.js";
import { readEnvironment } from "./environment.js";

test("without any setting everything has a default", () => {
  expect(readConfig({})).toMatchObject({
    host: "127.0.0.1",
    port: 8080,
    brand: "Svc",
    roles: ["api", "gateway", "worker", "deliver", "jobs", "dashboard"],
    dataDir: resolve("./data"),
    databaseUrl: undefined,
    allowPrivateNetwork: false,
  });
});

test("an empty setting is the same as none", () => {
  expect(readConfig({ PORT: "", DATABASE_URL: "" })).toMatchObject({ port: 8080, databaseUrl: undefined });
});

test("one error names every problem", () => {
  const read = () =>
    readConfig({
      PORT: "70000",
      BRAND: "my brand",
      ROLES: "api,cook",
      DATABASE_URL: "mysql://db",
      TRUST_PROXY: "yes",
      LOG_LEVEL: "loud",
      BODY_LIMIT_BYTES: "1.5",
      TLS_CERT_FILE: "cert.pem",
    });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(
    [
      "The configuration cannot be used:",
      '  - PORT expects a whole number from 0 to 65535, not "70000".',
      '  - BRAND expects a capitalised word of letters and digits, not "my brand".',
      '  - ROLES expects one or more of api, gateway, worker, deliver, jobs, dashboard, not "api,cook".',
    ].join("\n"),
  );
  for (const name of [
    "DATABASE_URL",
    "TRUST_PROXY",
    "LOG_LEVEL",
    "BODY_LIMIT_BYTES",
    "TLS_CERT_FILE and TLS_KEY_FILE",
  ]) {
    expect(read).toThrow(`  - ${name} `);
  }
});

test("the question engine gets a quarter of the machine's memory, at most 1 GB, unless a setting says otherwise", () => {
  const MB = 1024 ** 2;
  const { questionsMemoryBytes } = readConfig({});
  expect(questionsMemoryBytes).toBeGreaterThanOrEqual(128 * MB);
  expect(questionsMemoryBytes).toBeLessThanOrEqual(Math.min(1_024 * MB, Math.max(128 * MB, totalmem() / 4)));
  expect(readConfig({ QUESTIONS_MEMORY_BYTES: String(200 * MB) }).questionsMemoryBytes).toBe(200 * MB);
  expect(() => readConfig({ QUESTIONS_MEMORY_BYTES: String(64 * MB) })).toThrow(
    "QUESTIONS_MEMORY_BYTES expects 0 or a whole number from 134217728",
  );
});

test("more attributes than the memory of the question engine can take are refused", () => {
  const GB = 1024 ** 3;
  expect(() => readConfig({ MAX_ATTRIBUTES: "5000", QUESTIONS_MEMORY_BYTES: String(GB) })).toThrow(
    `  - MAX_ATTRIBUTES of 5000 needs QUESTIONS_MEMORY_BYTES of 2621440000: with ${GB}, the embedded question engine can hold 2048.`,
  );
  expect(readConfig({ MAX_ATTRIBUTES: "5000", QUESTIONS_MEMORY_BYTES: String(3 * GB) }).maxAttributes).toBe(5_000);
  expect(readConfig({ MAX_ATTRIBUTES: "5000", CLICKHOUSE_URL: "http://clickhouse:8123" }).maxAttributes).toBe(5_000);
  expect(readConfig({ QUESTIONS_MEMORY_BYTES: String(GB / 8) }).maxAttributes).toBe(2_000);
  expect(() => readConfig({ MAX_ATTRIBUTES: "20000" })).toThrow(
    "MAX_ATTRIBUTES expects a whole number from 10 to 10000",
  );
});

test.each([
  ["false", false],
  ["1", 1],
  ["3", 3],
  ["10.0.0.0/8", ["10.0.0.0/8"]],
  ["127.0.0.1, ::1,fd00::/8 , loopback", ["127.0.0.1", "::1", "fd00::/8", "loopback"]],
])("TRUST_PROXY=%s is a number of proxies, or their addresses", (given, trustProxy) => {
  expect(readConfig({ TRUST_PROXY: given })).toMatchObject({ trustProxy });
});

test.each(["true", "yes", "0", "-1", "1.5", "10.0.0.0/33", "10.0.0", "proxy.example.com", ",", "fd00::/129", "1,2"])(
  "TRUST_PROXY=%s is refused, and the error says what to write",
  (given) => {
    const read = () => readConfig({ TRUST_PROXY: given });
    expect(read).toThrow(/TRUST_PROXY expects false, .*such as 1.*such as 10\.0\.0\.0\/8/);
  },
);

test("the error about a secret setting does not contain the secret", () => {
  const read = () => readConfig({ DATABASE_URL: "mysql://root:hunter2@db" });
  expect(read).toThrow(/^(?!.*hunter2).*DATABASE_URL/s);
});

test("a cluster needs the address of one of its servers", () => {
  expect(() => readConfig({ CLICKHOUSE_CLUSTER: "main" })).toThrow("  - CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL");
  const CLICKHOUSE_URL = "http://clickhouse:8123";
  expect(readConfig({ CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: "main" })).toMatchObject({ clickhouseCluster: "main" });
  expect(() => readConfig({ CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: "main'; drop" })).toThrow(/CLICKHOUSE_CLUSTER expects/);
});

test("roles that cannot work without another engine are refused in words", () => {
  const DATABASE_URL = "postgres://db/muster";
  expect(() => readConfig({ ROLES: "gateway" })).toThrow("  - ROLES without worker needs DATABASE_URL");
  expect(() => readConfig({ ROLES: "api,gateway", DATABASE_URL })).toThrow(
    "  - ROLES with api and without worker needs CLICKHOUSE_URL",
  );
  expect(() => readConfig({ ROLES: "gateway,deliver,jobs", DATABASE_URL })).toThrow(
    "  - ROLES with deliver, jobs and without worker needs CLICKHOUSE_URL",
  );
  expect(readConfig({ ROLES: "gateway", DATABASE_URL })).toMatchObject({ roles: ["gateway"] });
  const CLICKHOUSE_URL = "http://clickhouse:8123";
  expect(readConfig({ ROLES: "api", DATABASE_URL, CLICKHOUSE_URL })).toMatchObject({ roles: ["api"] });
});

test("printing shows every setting with secrets masked", () => {
  const config = readConfig({ DATABASE_URL: "postgres://u:hunter2@db/muster", SECRET_KEY: "hunter3", PORT: "9000" });
  const lines = describeConfig(config);
  expect(JSON.stringify(lines)).not.toMatch(/hunter/);
  const values = Object.fromEntries(lines.map(({ env, value }) => [env, value]));
  expect(values).toMatchObject({
    DATABASE_URL: "********",
    SECRET_KEY: "********",
    METRICS_TOKEN: "",
    PORT: "9000",
    ROLES: "api,gateway,worker,deliver,jobs,dashboard",
  });
  expect(lines.filter(({ description }) => description === "")).toEqual([]);
});

describe("the environment", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "muster-env-"));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(directory, { recursive: true });
  });

  test("is read from a .env file, and variables of the process override it", async () => {
    const file = join(directory, ".env");
    await writeFile(file, '# settings\nPORT=9001\nBRAND="Hull"\nBASE_DOMAIN=example.com # ours\n');
    vi.stubEnv("PORT", "9002");
    expect(readConfig(readEnvironment(file))).toMatchObject({ port: 9002, brand: "Hull", baseDomain: "example.com" });
  });

  test("needs no .env file", () => {
    vi.stubEnv("PORT", "9003");
    expect(readConfig(readEnvironment(join(directory, "missing")))).toMatchObject({ port: 9003 });
  });

  test("causes an error when the .env file exists but cannot be read", () => {
    expect(() => readEnvironment(directory)).toThrow(/EISDIR/);
  });
});
