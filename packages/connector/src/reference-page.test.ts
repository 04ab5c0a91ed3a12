import { readFile } from "node:fs/promises";
import { CONNECTOR_STATUSES } from "@muster/protocol/manifest";
import { expect, test } from "vitest";
import * as library from "./index.js";
import * as kit from "./testing/index.js";

const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");
const page = await read("../../../docs/connectors/reference.md");
const PROTOCOL = "../../protocol/src";

/** The part of the page below a heading, up to the next heading. */
function section(heading: string): string {
  const [, text = ""] = page.split(new RegExp(`^## ${heading}$`, "m"));
  return text.split(/^## /m)[0] ?? "";
}

/** The names in the first columns of all tables of a section. */
function firstColumns(heading: string): string[] {
  return [...section(heading).matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
}

/** The names of the members of an interface: types are gone when the tests run, so they are read from the source. */
async function membersOf(file: string, name: string): Promise<string[]> {
  const [, body = ""] = (await read(file)).split(new RegExp(`^export interface ${name} .*\\{$`, "m"));
  const [own = ""] = body.split(/^\}$/m);
  return [...own.matchAll(/^ {2}(?:readonly )?"?([\w:]+)"?(?:<\w+>)?\??[:(]/gm)].map(([, member = ""]) => member);
}

test.each([
  ["Options", [["./connector-options.ts", "ConnectorOptions"]]],
  [
    "Handlers",
    [
      ["./handlers/connector-handlers.ts", "ConnectorHandlers"],
      ["./handlers/request-handler.ts", "HandlerOptions"],
      ["./notifications/notification-options.ts", "NotificationOptions"],
    ],
  ],
  [
    "Messages",
    [
      ["./notifications/notification-options.ts", "ChannelMessages"],
      [`${PROTOCOL}/notification.ts`, "UserUpdateMessage"],
    ],
  ],
  [
    "Context",
    [
      ["./context/context.ts", "Context"],
      ["./context/context.ts", "Helpers"],
    ],
  ],
  ["Cache", [["./cache/connector-cache.ts", "ConnectorCache"]]],
  ["Queue", [["./queue/queue-adapter.ts", "EnqueueOptions"]]],
  ["Metrics", [["./metrics/metric.ts", "Metric"]]],
  [
    "HTTP",
    [
      ["./http/create-http.ts", "HttpOptions"],
      ["./http/error-plugin.ts", "ErrorPluginOptions"],
    ],
  ],
  ["OAuth", [["./oauth/oauth-router.ts", "OAuthOptions"]]],
  ["Flow control", [[`${PROTOCOL}/notification.ts`, "FlowControl"]]],
] satisfies [string, [string, string][]][])(
  "the section %s of the connector reference lists what the code has, and nothing else",
  async (heading, interfaces) => {
    const members = await Promise.all(interfaces.map(([file, name]) => membersOf(file, name)));
    for (const found of members) expect(found).not.toEqual([]);
    expect(firstColumns(heading).sort()).toEqual([...new Set(members.flat())].sort());
  },
);

test("the connector reference lists all statuses, and all errors that a handler can throw", () => {
  expect(firstColumns("Status")).toEqual([...CONNECTOR_STATUSES]);
  const errors = Object.keys(library).filter((name) => name.endsWith("Error"));
  expect(firstColumns("Errors").sort()).toEqual(errors.sort());
});

test("the connector reference names all that the library and its test kit export", () => {
  // Classes that `reply` and `view` make are not made by hand.
  const exported = [...Object.keys(library), ...Object.keys(kit)].filter((name) => !["Reply", "View"].includes(name));
  expect(exported.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});
