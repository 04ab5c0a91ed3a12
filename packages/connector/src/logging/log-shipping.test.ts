import type { LogEntry } from "@muster/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Connector } from "../connector.js";
import { type FakePlatform, startFakePlatform } from "../testing/index.js";

const manifest = { name: "My CRM", version: "1.0.0", settings_sections: [] };
let platform: FakePlatform;
beforeEach(async () => {
  platform = await startFakePlatform();
});
afterEach(() => platform.close());

async function log(sendErrorLogs: boolean): Promise<LogEntry[]> {
  const own: LogEntry[] = [];
  const connector = new Connector({
    manifest,
    sendErrorLogs,
    organizations: [platform.url],
    clientConfig: { onLog: (entry) => own.push(entry) },
  });
  const { client } = await connector.contextFor(platform.credentials);
  client.logger.info("sync.start");
  client
    .asUser({ email: "ada@example.com" })
    .logger.error("outgoing.user.error", { hull_summary: "Ada was not sent." });
  await connector.close();
  return own;
}

it("sends errors to Muster when sendErrorLogs is true, with their summary and their subject", async () => {
  const own = await log(true);
  expect(own.map(({ level }) => level)).toEqual(["info", "error"]);
  expect(platform.logs).toMatchObject([
    {
      level: "error",
      message: "outgoing.user.error",
      data: { hull_summary: "Ada was not sent." },
      context: { connector_name: "my-crm", user_email: "ada@example.com" },
    },
  ]);
});

it("does not send them by default", async () => {
  await log(false);
  expect(platform.logs).toEqual([]);
});

it("writes to its own log when Muster does not accept them", async () => {
  platform.willAnswer("POST /app/logs", { error: { code: "not_found", message: "No.", details: [] } }, 404);
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await log(true);
  const lines = write.mock.calls.map(([line]) => String(line));
  write.mockRestore();
  expect(lines).toContainEqual(expect.stringContaining("connector.logs.unsent"));
});
