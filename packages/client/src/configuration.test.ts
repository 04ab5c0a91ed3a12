import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Client } from "./client.js";
import { ClientError } from "./client-error.js";
import { type ClientConfig, readConfiguration } from "./configuration.js";
import type { LogEntry } from "./logger.js";

const REQUIRED = {
  id: "0198c2a4f1d002a1b2c3d4e5",
  secret: "a-secret-nobody-else-knows",
  organization: "acme.example.com",
};

/** A configuration that the types forbid, as plain JavaScript can give it. */
function given(values: Record<string, unknown>): ClientConfig {
  return { ...REQUIRED, ...values };
}

function problemsOf(values: Record<string, unknown>): string {
  try {
    readConfiguration(given(values));
    return "";
  } catch (error) {
    if (error instanceof ClientError && error.code === "invalid_configuration") return error.message;
    throw error;
  }
}

describe("the constructor's configuration", () => {
  it("is returned by configuration(), with defaults", () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(new Client(REQUIRED).configuration()).toMatchObject({
      ...REQUIRED,
      prefix: "/api/v1",
      domain: "example.com",
      namespace: "acme",
      protocol: "https",
      apiUrl: "https://acme.example.com",
      firehoseUrl: "https://firehose.example.com/",
      brand: "Svc",
      version,
    });
  });

  it("may be the result of configuration()", () => {
    const first = new Client({ ...REQUIRED, requestId: "r1", connectorName: "crm", captureLogs: true });
    expect(new Client(first.configuration()).configuration()).toEqual(first.configuration());
  });

  it.each([
    ["http://127.0.0.1:8080", "http", "127.0.0.1:8080", "http://127.0.0.1:8080/firehose"],
    ["https://acme.example.com/", "https", "acme.example.com", "https://firehose.example.com/"],
  ])("may have the url %s instead of organization and protocol", (url, protocol, organization, firehoseUrl) => {
    const { id, secret } = REQUIRED;
    const configuration = new Client({ id, secret, url }).configuration();
    expect(configuration).toMatchObject({ protocol, organization, firehoseUrl });
    expect(new Client(configuration).configuration()).toEqual(configuration);
  });

  it("is refused when it has a url and an organization or a protocol", () => {
    expect(problemsOf({ url: "http://127.0.0.1:8080", protocol: "http" })).toBe(
      "The client's configuration is not usable: `organization` must not be given together with `url`; " +
        "`protocol` must not be given together with `url`.",
    );
  });

  it("is returned as a copy, so that changing it does not change the client", () => {
    const client = new Client(REQUIRED);
    Object.assign(client.configuration(), { secret: "other" });
    expect(client.configuration().secret).toBe(REQUIRED.secret);
  });

  it.each([
    ["id", [undefined, "", "short", 12, "0198c2a4f1d002a1b2c3d4eZ"]],
    ["secret", [undefined, "", 12, "two\nlines"]],
    ["organization", [undefined, "", "https://acme.example.com", "acme.example.com/path", 5]],
    ["url", ["", "acme.example.com", "ftp://acme.example.com", "https://acme.example.com/path", 5]],
    ["requestId", ["", 5]],
    ["connectorName", ["", {}]],
    ["captureLogs", ["yes", 1]],
    ["captureFirehoseEvents", ["yes", 1]],
    ["apiUrl", ["", "127.0.0.1:8080", "http://127.0.0.1:8080/api"]],
    ["firehoseUrl", ["", "firehose.example.com", "ftp://firehose.example.com", 7]],
    ["protocol", ["", "ftp", true]],
    ["prefix", ["api/v1", "/api?x", 1]],
    ["logs", [{}, "all"]],
    ["firehoseEvents", [{}, true]],
    ["brand", ["", "svc", "two words", 3]],
    ["logLevel", ["", "loud"]],
    ["onLog", ["stdout", {}]],
    ["batching", [5, [], "fast"]],
  ])("is refused for an unusable `%s`, which the message names", (key, values) => {
    for (const value of values) expect(problemsOf({ [key]: value })).toContain(`\`${key}\``);
  });

  it.each(["maxEntries", "maxBytes", "maxDelayMs", "maxQueueBytes", "maxAttempts", "timeoutMs", "gzip"])(
    "refuses a `batching.%s` it cannot use, by name",
    (key) => {
      for (const value of [-1, 1.5, "many", Number.POSITIVE_INFINITY]) {
        expect(problemsOf({ batching: { [key]: value } })).toContain(`\`batching.${key}\``);
      }
    },
  );

  it("is refused with all its problems in one message, which never holds the secret", () => {
    const message = problemsOf({ id: "x", secret: "bad secret", protocol: "ftp" });
    expect(message).toContain("`id`");
    expect(message).toContain("`secret`");
    expect(message).toContain("`protocol`");
    expect(message).not.toContain("bad secret");
  });

  it("is required", () => {
    // The types forbid this call; plain JavaScript can make it.
    const missing = undefined as unknown as ClientConfig;
    expect(() => new Client(missing)).toThrow(ClientError);
  });

  it("may hold null or undefined in place of a value that is not given", () => {
    expect(problemsOf({ requestId: undefined, logs: null, firehoseUrl: null, batching: null })).toBe("");
  });

  it("may hold the arrays that keep logs and batch entries; without them the client makes its own", () => {
    const logs: LogEntry[] = [];
    expect(new Client({ ...REQUIRED, logs }).configuration().logs).toBe(logs);
    expect(new Client({ ...REQUIRED, captureLogs: true }).configuration().logs).toEqual([]);
    expect(new Client({ ...REQUIRED, captureFirehoseEvents: true }).configuration().firehoseEvents).toEqual([]);
    expect(new Client({ ...REQUIRED, captureLogs: false }).configuration()).not.toHaveProperty("logs");
  });
});

describe("the gateway's address", () => {
  it.each([
    ["acme.example.com", "https://firehose.example.com/"],
    ["acme.example.com:8443", "https://firehose.example.com:8443/"],
    ["acme.localhost:8080", "https://firehose.localhost:8080/"],
    ["localhost:8080", "https://localhost:8080/firehose"],
    ["127.0.0.1:8080", "https://127.0.0.1:8080/firehose"],
  ])("of the organization %s is %s", (organization, expected) => {
    expect(readConfiguration({ ...REQUIRED, organization }).firehoseUrl).toBe(expected);
  });

  it("is the one given, if one is given", () => {
    const firehoseUrl = "http://10.0.0.1:9000/in";
    expect(readConfiguration({ ...REQUIRED, firehoseUrl }).firehoseUrl).toBe(firehoseUrl);
  });
});
