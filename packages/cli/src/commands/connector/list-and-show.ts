import type { OwnConnector } from "@muster/protocol/api/connectors";
import { missingSettings, readManifest } from "@muster/protocol/manifest";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findConnector } from "../../find/find-connector.js";
import { lines, table } from "../../output/table.js";
import { ageText, timeText } from "../../output/time-text.js";
import { valueText } from "../../output/value-text.js";
import { readList } from "../../read-list.js";
import { MASK, maskPrivateSettings } from "../../settings/mask-private-settings.js";

export function addListAndShow(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("list")
    .description("list the connectors")
    .example("muster connector list --org acme")
    .action(async (_options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const all = await readList<OwnConnector>(api, "/connectors");
      const shown = all.map(({ id, name, status, enabled, source_url, created_at }) => ({
        id,
        name,
        status: status.status,
        enabled,
        source_url,
        created_at,
      }));
      show(shown, (connectors) =>
        table(
          ["ID", "NAME", "STATUS", "ENABLED", "RUNS AT", "AGE"],
          connectors.map(({ id, name, status, enabled, source_url, created_at }) => [
            id,
            name,
            status,
            enabled ? "yes" : "no",
            source_url ?? "-",
            ageText(created_at, Date.now()),
          ]),
          context.width,
        ),
      );
    });

  connector
    .command("show <id>")
    .description("show a connector and its settings; the secret and the secret settings are masked")
    .option("--secrets", "show the secret and all settings as they are")
    .example("muster connector show Mailer")
    .action(async (id: string, { secrets }: { secrets?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const found = await findConnector(api, id);
      const shown = secrets
        ? found
        : { ...found, secret: MASK, private_settings: maskPrivateSettings(found.manifest, found.private_settings) };
      show(shown, (record) => describe(record, missingOf(found)));
    });
}

function missingOf({ manifest, settings, private_settings }: OwnConnector): string[] {
  const declared = readManifest(manifest);
  return [
    ...missingSettings(declared.settings, settings).map((name) => `settings.${name}`),
    ...missingSettings(declared.private_settings, private_settings).map((name) => `private_settings.${name}`),
  ];
}

function describe(record: OwnConnector, missing: string[]): string {
  const { id, name, manifest, source_url, tags, status, enabled, when_disabled, secret, created_at } = record;
  const settings = (["settings", "private_settings"] as const).flatMap((group) =>
    Object.entries(record[group]).map(([key, value]) => [`${group}.${key}`, valueText(value) || "-"]),
  );
  const facts = lines({
    id,
    name,
    ...(typeof manifest.version === "string" ? { version: manifest.version } : {}),
    "runs at": source_url ?? "-",
    status: [status.status, ...status.messages].join(": "),
    enabled: enabled ? "yes" : `no (messages: ${when_disabled})`,
    tags: tags.join(", ") || "-",
    secret,
    created: timeText(created_at),
  });
  return [
    facts,
    settings.length === 0 ? "No settings." : table(["SETTING", "VALUE"], settings),
    ...(missing.length === 0 ? [] : [`Required and not set: ${missing.join(", ")}`]),
  ].join("\n\n");
}
