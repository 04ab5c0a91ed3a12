import type { NewWriteKey, WriteKey } from "@muster/protocol/api/write-keys";
import type { Command } from "commander";
import type { Api } from "../api.js";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { findConnector, onlyOneNamed } from "../find/find-connector.js";
import { confirm } from "../input/confirm.js";
import { lines, table } from "../output/table.js";
import { timeText } from "../output/time-text.js";
import { readList } from "../read-list.js";
import { MASK } from "../settings/mask-private-settings.js";

interface CreateOptions {
  domain?: string[];
  app?: string[];
  trustIdentify?: boolean;
}

export function addWriteKey(program: DocumentedCommand, context: CommandContext): void {
  const writeKey = program
    .command("write-key")
    .description(
      "keys that may only write, in the name of a connector; CONNECTOR and KEY are an id, or a name that only one has",
    )
    .example("muster write-key list Shop");

  writeKey
    .command("list <connector>")
    .description("list the write keys of a connector; server keys are masked")
    .option("--secrets", "show server keys as they are")
    .example("muster write-key list Shop")
    .action(async (given: string, { secrets }: { secrets?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findConnector(api, given);
      const keys = await listKeys(api, id);
      const shown = secrets ? keys : keys.map((key) => (key.kind === "server" ? { ...key, key: MASK } : key));
      show(shown, (all) => listing(all, context.width));
    });

  writeKey
    .command("create <connector> <name>")
    .summary("create a write key, and print it")
    .description(
      "create a write key, and print it: a page key for the domains and apps that are given, which everybody may read, or without them a server key, which must stay secret",
    )
    .option(
      "--domain <host>",
      "host whose pages may use it, *.example.com for all hosts under it; can be repeated",
      add,
    )
    .option("--app <name>", "app that may use it, by the context.app.namespace that it sends; can be repeated", add)
    .option(
      "--trust-identify",
      "take what calls with a page key say about who somebody is for proof: whoever reads the key can then write as any of your users",
    )
    .example("muster write-key create Shop Billing")
    .example("muster write-key create Shop Website --domain shop.example.com")
    .action(async (given: string, name: string, options: CreateOptions, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findConnector(api, given);
      const { domain: domains = [], app: apps = [], trustIdentify = false } = options;
      const kind = domains.length > 0 || apps.length > 0 ? "page" : "server";
      const fields: NewWriteKey = { kind, name, domains, apps, trust_identify: trustIdentify };
      show(await api.post<WriteKey>(`/${id}/write_keys`, fields), describe);
    });

  writeKey
    .command("roll <connector> <key>")
    .description("replace the text of a write key; the old one stops working at once")
    .option("--yes", "do not ask first")
    .example('muster write-key roll Shop "Server key"')
    .action(async (given: string, keyGiven: string, { yes }: { yes?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { connector, key } = await findKey(api, given, keyGiven);
      const question = `The present text of "${key.name}" of "${connector.name}" stops working at once, and calls with it are refused. Replace it?`;
      await confirm(context, question, yes);
      show(await api.post<WriteKey>(`/${connector.id}/write_keys/${key.id}/roll`), describe);
    });

  writeKey
    .command("delete <connector> <key>")
    .description("delete a write key; it stops working at once")
    .option("--yes", "do not ask first")
    .example("muster write-key delete Shop Website")
    .action(async (given: string, keyGiven: string, { yes }: { yes?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { connector, key } = await findKey(api, given, keyGiven);
      const question = `The write key "${key.name}" of "${connector.name}" is deleted for good, and calls with it are refused. Delete it?`;
      await confirm(context, question, yes);
      const deleted = await api.delete<{ id: string; deleted: true }>(`/${connector.id}/write_keys/${key.id}`);
      show(deleted, () => `"${key.name}" is deleted.`);
    });
}

function listKeys(api: Api, connectorId: string): Promise<WriteKey[]> {
  return readList<WriteKey>(api, `/${connectorId}/write_keys`);
}

/** The oldest server key of a connector, which is there unless somebody has deleted it. */
export async function serverKeyOf(api: Api, connectorId: string): Promise<string | undefined> {
  return (await listKeys(api, connectorId)).find(({ kind }) => kind === "server")?.key ?? undefined;
}

async function findKey(api: Api, connectorGiven: string, given: string) {
  const connector = await findConnector(api, connectorGiven);
  const keys = await listKeys(api, connector.id);
  const hint = `\`muster write-key list ${connector.id}\` shows all.`;
  return { connector, key: keys.find(({ id }) => id === given) ?? onlyOneNamed(keys, given, "write key", hint) };
}

function add(given: string, before: string[] = []): string[] {
  return [...before, given];
}

function usersOf({ domains, apps }: WriteKey): string {
  return [...domains, ...apps].join(", ") || "-";
}

function listing(keys: WriteKey[], width: number | undefined): string {
  if (keys.length === 0) return "No write keys.";
  return table(
    ["ID", "NAME", "KIND", "KEY", "DOMAINS AND APPS", "LAST USED"],
    keys.map((key) => [
      key.id,
      key.name,
      key.trust_identify ? `${key.kind}, trusted` : key.kind,
      key.key ?? MASK,
      usersOf(key),
      key.last_used_at === null ? "never" : timeText(key.last_used_at),
    ]),
    width,
  );
}

function describe(key: WriteKey): string {
  const { id, name, kind, trust_identify, created_at } = key;
  return lines({
    id,
    name,
    kind,
    key: key.key ?? MASK,
    ...(kind === "page" ? { "domains and apps": usersOf(key), "trusts identify": trust_identify ? "yes" : "no" } : {}),
    created: timeText(created_at),
  });
}
