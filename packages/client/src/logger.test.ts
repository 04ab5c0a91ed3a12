import { afterEach, describe, expect, it, vi } from "vitest";
import { Client } from "./client.js";
import type { LogEntry } from "./logger.js";

const CONFIG = { id: "0198c2a4f1d002a1b2c3d4e5", secret: "secret", organization: "acme.example.com" };

afterEach(() => vi.restoreAllMocks());

describe("the logger", () => {
  it("adds the connector, the request and the subject to every entry", () => {
    const client = new Client({ ...CONFIG, requestId: "r1", connectorName: "crm", captureLogs: true });
    client.logger.info("incoming.job.start");
    client
      .asUser({ email: "ada@example.com", external_id: "42" })
      .account({ domain: "example.com" })
      .logger.error("x", { n: 1 });
    const context = { organization: CONFIG.organization, id: CONFIG.id, connector_name: "crm", request_id: "r1" };
    expect(client.configuration().logs).toEqual([
      { level: "info", message: "incoming.job.start", context, timestamp: expect.any(String) },
      {
        level: "error",
        message: "x",
        data: { n: 1 },
        context: {
          ...context,
          subject_type: "user",
          user_email: "ada@example.com",
          user_external_id: "42",
          account_domain: "example.com",
        },
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
  });

  it("keeps every level when it captures", () => {
    const logs: LogEntry[] = [];
    const { logger } = new Client({ ...CONFIG, logs });
    for (const level of ["log", "silly", "debug", "verbose", "info", "warn", "error"] as const) logger[level](level);
    expect(logs.map((entry) => [entry.message, entry.level])).toEqual([
      ["log", "info"],
      ["silly", "silly"],
      ["debug", "debug"],
      ["verbose", "verbose"],
      ["info", "info"],
      ["warn", "warn"],
      ["error", "error"],
    ]);
  });

  it("writes a JSON line from `info` up: warnings and errors to standard error, the rest to standard output", () => {
    const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const { debug, info, error } = new Client(CONFIG).logger;
    debug("not written");
    info("written", { n: 1 });
    error("written too");
    expect(out.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
      { message: "written", data: { n: 1 } },
    ]);
    expect(err.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([{ message: "written too" }]);
  });

  it("writes entries from the configured level up to the given function", () => {
    const written: string[] = [];
    const onLog = (entry: LogEntry) => void written.push(entry.message);
    new Client({ ...CONFIG, onLog, logLevel: "error" }).logger.warn("not written");
    new Client({ ...CONFIG, onLog, logLevel: "debug" }).logger.debug("written");
    expect(written).toEqual(["written"]);
  });

  it("never throws, whatever data it writes", () => {
    const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    new Client(CONFIG).logger.info("circular", circular);
    expect(JSON.parse(String(out.mock.calls[0]?.[0]))).toMatchObject({ message: "circular", data: "[object Object]" });
  });
});
