import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type Batching, readBatching } from "./batching.js";
import type { ClientErrorCode } from "./client-error.js";
import type { ClientConfig } from "./configuration.js";

const guide = readFileSync(new URL("../../../docs/client.md", import.meta.url), "utf8");

/** The compiler refuses a list that lacks an option. */
const OPTIONS: Record<keyof ClientConfig, true> = {
  id: true,
  secret: true,
  url: true,
  organization: true,
  protocol: true,
  apiUrl: true,
  firehoseUrl: true,
  prefix: true,
  brand: true,
  requestId: true,
  connectorName: true,
  logLevel: true,
  onLog: true,
  captureLogs: true,
  logs: true,
  captureFirehoseEvents: true,
  firehoseEvents: true,
  batching: true,
};

const CODES: Record<ClientErrorCode, true> = {
  invalid_configuration: true,
  invalid_claims: true,
  invalid_argument: true,
  queue_full: true,
  timeout: true,
  connection_failed: true,
  unexpected_answer: true,
};

/** The rows of the table whose first column has this name. */
function rowsOf(column: string): string[][] {
  const [, table = ""] = guide.split(`| ${column} |`);
  const [rows = ""] = table.split("\n\n");
  return rows
    .split("\n")
    .slice(2)
    .map((row) => row.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

it("the guide lists every option", () => {
  const names = rowsOf("option").flatMap(([cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(names).toEqual(Object.keys(OPTIONS));
});

it("the guide has the defaults of batching", () => {
  const defaults = Object.entries(readBatching({} satisfies Partial<Batching>, []));
  expect(rowsOf("key of `batching`").map(([key, value]) => [key, value?.replaceAll(",", "")])).toEqual(
    defaults.map(([key, value]) => [`\`${key}\``, String(value)]),
  );
});

it("the guide has every error code of the library", () => {
  const [, errors = ""] = guide.split("## Errors");
  for (const code of Object.keys(CODES)) expect(errors).toContain(`\`${code}\``);
});
