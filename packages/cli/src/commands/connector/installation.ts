import type { Installed, RefreshedConnector } from "@muster/protocol/api/connectors";
import type { Removed } from "@muster/protocol/api/subjects";
import type { ManifestProblem } from "@muster/protocol/manifest";
import type { Command } from "commander";
import { type CommandContext, connect, type GlobalOptions, globalOptions, showWith } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findConnector } from "../../find/find-connector.js";
import { confirm } from "../../input/confirm.js";
import { lines } from "../../output/table.js";
import { libraryAddress } from "../../scaffold/library-address.js";
import { scaffoldConnector } from "../../scaffold/scaffold-connector.js";

export function addInstallation(connector: DocumentedCommand, context: CommandContext): void {
  /** With `--json` a program reads the output, so no warnings are written. */
  const warnOf = (problems: ManifestProblem[], { json }: GlobalOptions) => {
    if (json) return;
    for (const { severity, path, message } of problems) context.warn(`manifest ${severity}: ${path} ${message}`);
  };

  connector
    .command("new <name>")
    .description(
      "write the code of a new connector, which installs its library from the server, into a folder with its name",
    )
    .example("muster connector new my-connector")
    .action(async (name: string, _options: object, command: Command) => {
      const options = globalOptions(command);
      const library = await libraryAddress(context, options, ".");
      const folder = await scaffoldConnector(name, ".", library);
      // Without an address the folder finds the library where it is, and npm could install it from nowhere.
      const steps = [...(library === undefined ? [] : ["npm install"]), "npm test", "npm start"];
      showWith(context, options)(
        { folder, library: library ?? null },
        () => `${folder}\n\nNext: cd there, then ${steps.join(", ")}.`,
      );
    });

  connector
    .command("install <name-or-url>")
    .description("install a connector that comes with Muster by its name, or the one that runs at this address")
    .example("muster connector install outgoing-webhooks")
    .action(async (url: string, _options: object, command: Command) => {
      const { api, options, show } = await connect(context, command);
      const { problems, ...installed } = await api.post<Installed>("/connectors/install", { url });
      const { id, secret, organization, name } = installed;
      warnOf(problems, options);
      const credentials = { id, secret, organization, name };
      const next = /^https?:/i.test(url)
        ? `The connector serves this organization if ORGANIZATIONS lists ${organization}.`
        : `The server runs it. Its settings: muster connector set "${name}" key=value, or in the dashboard.`;
      show({ ...credentials, problems }, () => [lines(credentials), next].join("\n\n"));
    });

  connector
    .command("refresh <id>")
    .description("read the manifest of a connector again; settings keep their values, new ones get their defaults")
    .example("muster connector refresh Mailer")
    .action(async (id: string, _options: object, command: Command) => {
      const { api, options, show } = await connect(context, command);
      const found = await findConnector(api, id);
      const refreshed = await api.post<RefreshedConnector>(`/${found.id}/refresh`);
      warnOf(refreshed.problems, options);
      const { name, manifest } = refreshed.connector;
      const version = typeof manifest.version === "string" ? manifest.version : null;
      show({ id: found.id, name, version, problems: refreshed.problems }, () =>
        lines({ id: found.id, name, version: version ?? "-" }),
      );
    });

  connector
    .command("uninstall <id>")
    .description("remove a connector with its settings, its credentials and the messages that wait for it")
    .option("--yes", "do not ask first")
    .example("muster connector uninstall Mailer")
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const found = await findConnector(api, id);
      await confirm(context, `The connector "${found.name}" (${found.id}) is removed for good. Uninstall it?`, yes);
      const removed = await api.delete<Removed>(`/${found.id}`);
      show(removed, () => `"${found.name}" (${found.id}) is uninstalled.`);
    });
}
