import type { Deployment } from "@muster/protocol/api/platforms";
import type { Removed } from "@muster/protocol/api/subjects";
import { type DeclaredSetting, readManifest } from "@muster/protocol/manifest";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { Failure, usageFailure } from "../../failure.js";
import { findById, findConnector } from "../../find/find-connector.js";
import { findPlatform } from "../../find/find-platform.js";
import { confirm } from "../../input/confirm.js";
import { lines, table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { valueText } from "../../output/value-text.js";
import { readList } from "../../read-list.js";
import { readValues } from "../../settings/read-values.js";

/** Settings that every deployment has. */
const PLACEMENT: DeclaredSetting[] = [
  { name: "_selector", type: "string" },
  { name: "_placement", type: "string" },
  { name: "_multi", type: "boolean" },
];

const PREFIX = "settings.";

export function addDeployments(platform: DocumentedCommand, context: CommandContext): void {
  platform
    .command("deploy <platform> <connector> [assignments...]")
    .summary("put a connector into the pages of a platform")
    .description(
      "put a connector into the pages of a platform; KEY=VALUE gives settings of the deployment: _selector, _placement, _multi, or those that the manifest declares. KEY:=JSON, KEY=@FILE and KEY=- work as in `connector set`",
    )
    .example('muster platform deploy Shop Banner _selector="#banner" _placement=top')
    .action(async (given: string, connectorName: string, assignments: string[], _options: object, command: Command) => {
      const { api, options, show } = await connect(context, command);
      const { id } = await findPlatform(api, given);
      const connector = await findConnector(api, connectorName);
      const declared = readManifest(connector.manifest).deployment_settings;
      const values = await readValues(context, assignments, (key) => settingOf([...PLACEMENT, ...declared], key));
      const deployment = await api.post<Deployment>(`/${id}/deployments`, {
        connector_id: connector.id,
        settings: Object.fromEntries(values.map(({ name, value }) => [name, value])),
      });
      if (deployment.ship.index === null && !options.json) {
        context.warn(
          `"${connector.name}" has no script for web pages (index in its manifest), so pages stay as they are.`,
        );
      }
      show(deployment, describe);
    });

  platform
    .command("deployments <platform>")
    .description("list the connectors in the pages of a platform; those that are disabled are left out")
    .example("muster platform deployments Shop")
    .action(async (given: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findPlatform(api, given);
      show(await readList<Deployment>(api, `/${id}/deployments`), (all) => listing(all, context.width));
    });

  platform
    .command("undeploy <deployment>")
    .description("take a connector out of the pages of a platform; DEPLOYMENT is an id that `deployments` shows")
    .option("--yes", "do not ask first")
    .example("muster platform undeploy 018f2c3e9a5c51d2a1000001")
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const found = await findById<Deployment>(api, given, "deployment");
      if (!found) {
        throw new Failure(
          "refused",
          `There is no deployment "${given}". \`muster platform deployments PLATFORM\` shows those of a platform.`,
        );
      }
      const { ship, platform: site } = found;
      const question = `The connector "${ship.name}" is taken out of the pages of "${site.name}", and the settings of this deployment are deleted. Remove it?`;
      await confirm(context, question, yes);
      const removed = await api.delete<Removed>(`/${found.id}`);
      show(removed, () => `"${ship.name}" is not deployed on "${site.name}" any more.`);
    });
}

function settingOf(declared: DeclaredSetting[], key: string): { name: string; declared: DeclaredSetting | undefined } {
  const name = key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key;
  const found = declared.find((setting) => setting.name === name);
  if (found || (name !== key && name !== "")) return { name, declared: found };
  const known = declared.map((setting) => setting.name).join(", ");
  throw usageFailure(
    `A deployment of this connector has no setting "${key}". It has ${known}; others can be set as ${PREFIX}NAME.`,
  );
}

function listing(deployments: Deployment[], width: number | undefined): string {
  if (deployments.length === 0) return "No deployments yet.";
  return table(
    ["ID", "CONNECTOR", "SELECTOR", "PLACEMENT", "SCRIPT", "CREATED"],
    deployments.map(({ id, ship, settings, created_at }) => [
      id,
      ship.name,
      valueText(settings._selector),
      valueText(settings._placement),
      ship.index ?? "-",
      timeText(created_at),
    ]),
    width,
  );
}

function describe({ id, ship, platform, settings, created_at }: Deployment): string {
  return lines({
    id,
    connector: ship.name,
    platform: platform.name,
    script: ship.index ?? "-",
    ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [`settings.${key}`, valueText(value) || "-"])),
    created: timeText(created_at),
  });
}
