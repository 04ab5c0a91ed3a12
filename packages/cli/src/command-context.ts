import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { createBrand } from "@muster/protocol";
import type { Environment } from "@muster/server/environment";
import { readServerNote } from "@muster/server/server-note";
import type { Command } from "commander";
import { Api } from "./api.js";
import { usageFailure } from "./failure.js";
import type { Output, OutputStream } from "./output/output.js";
import { findServer } from "./server/find-server.js";

/** What every command receives. */
export interface CommandContext extends Output {
  environment: Environment;
  stdin: Readable & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  /** Stops commands that have no end of their own. */
  signal: AbortSignal;
}

/** What decides which server is meant, beside the options. */
export type Surroundings = Pick<CommandContext, "environment">;

/** The options of the program itself, which apply to every command. */
export interface GlobalOptions {
  url?: string;
  org?: string;
  dataDir?: string;
  json?: boolean;
}

/** A command at work: the API of the running server, and a way to show what it answers. */
export interface Session {
  api: Api;
  options: GlobalOptions;
  /** Prints the value as JSON with `--json`, and otherwise the text about it. */
  show<Value>(value: Value, describe: (value: Value) => string): void;
}

export function globalOptions(command: Command): GlobalOptions {
  return command.optsWithGlobals<GlobalOptions>();
}

/** The address that the operator names. */
export function givenUrl({ environment }: Surroundings, { url }: GlobalOptions): string | undefined {
  const given = url ?? environment.MUSTER_URL;
  if (given === undefined) return undefined;
  if (!URL.canParse(given) || !/^https?:/.test(given)) {
    throw usageFailure(`"${given}" is not the address of a server: give one like http://127.0.0.1:8080.`);
  }
  return given.replace(/\/+$/, "");
}

/** Where the server is, or would be if it were started here. What answers there may be a stranger. */
export async function likelyUrl(context: CommandContext, options: GlobalOptions): Promise<string> {
  const note = await readServerNote(dataDirectory(context, options)).catch(() => undefined);
  return givenUrl(context, options) ?? note?.url ?? `http://127.0.0.1:${context.environment.PORT ?? "8080"}`;
}

export function dataDirectory({ environment }: Surroundings, { dataDir }: GlobalOptions): string {
  return resolve(dataDir ?? environment.DATA_DIR ?? "./data");
}

export function showWith(context: CommandContext, { json }: GlobalOptions): Session["show"] {
  return (value, describe) => (json ? context.printJson(value) : context.print(describe(value)));
}

/** Connects to the running server as its operator. */
export async function connect(context: CommandContext, command: Command): Promise<Session> {
  const options = globalOptions(command);
  const { environment } = context;
  const api = new Api({
    ...(await findServer({
      dataDir: dataDirectory(context, options),
      url: givenUrl(context, options),
      token: environment.MUSTER_ADMIN_TOKEN,
    })),
    brand: createBrand(environment.BRAND),
    organization: options.org,
  });
  if (options.org !== undefined) await requireOrganization(api, options.org);
  return { api, options, show: showWith(context, options) };
}

/** A server with another brand ignores our header and would silently use its default organization. */
async function requireOrganization(api: Api, given: string): Promise<void> {
  const { id, namespace } = await api.get<{ id: string; namespace: string }>("/org");
  if (id === given || namespace === given.toLowerCase()) return;
  throw usageFailure(
    `The server used the organization "${namespace}" instead of "${given}". Name it by its namespace or id, and set BRAND to the word the server was started with.`,
  );
}
