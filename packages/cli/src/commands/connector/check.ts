import { checkManifest } from "@muster/protocol/manifest";
import type { Command } from "commander";
import { type CommandContext, globalOptions, showWith } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { Failure } from "../../failure.js";
import { readJsonObject } from "../../input/read-argument.js";

export function addCheck(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("check <file>")
    .description("check a manifest as an installation does; no server is needed")
    .example("muster connector check manifest.json")
    .action(async (file: string, _options: object, command: Command) => {
      const problems = checkManifest(await readJsonObject(context, `@${file}`, "manifest"));
      showWith(context, globalOptions(command))({ problems }, () =>
        problems.length === 0
          ? "The manifest is valid."
          : problems.map(({ severity, path, message }) => `${severity}: ${path} ${message}`).join("\n"),
      );
      if (problems.some(({ severity }) => severity === "error")) {
        throw new Failure("refused", "Parts of the manifest are invalid, and Muster will not use them.");
      }
    });
}
