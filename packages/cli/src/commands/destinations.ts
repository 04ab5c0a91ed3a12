import { join } from "node:path";
import type { Command } from "commander";
import { type CommandContext, connect, dataDirectory, globalOptions } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { Exit } from "../failure.js";
import { table } from "../output/table.js";
import { readList } from "../read-list.js";
import { runServer } from "../server-process.js";

interface GalleryEntry {
  source_url: string;
  name: string;
  categories: string[];
}

const DESTINATIONS = /^muster:\/\/(.*\.destinations)$/;

export function addDestinations(program: DocumentedCommand, context: CommandContext): void {
  const destinations = program
    .command("destinations")
    .description("two hundred services that Muster can send to: the public package @segment/action-destinations")
    .example("muster destinations list");

  destinations
    .command("start")
    .description(
      "install the package of destinations from npm's registry into the data directory; from then on they are in the gallery, and the server runs those that are installed from there",
    )
    .example("muster destinations start")
    .action(async (_options: object, command: Command) => {
      const { environment } = context;
      const folder =
        environment.DESTINATIONS_DIR ?? join(dataDirectory(context, globalOptions(command)), "destinations");
      // npm reads its own settings from the environment.
      const code = await runServer([folder], environment, "@muster/server/destinations");
      if (code !== 0) throw new Exit(code);
      context.print("They are in the gallery: Connectors, Gallery. Or: muster destinations list");
    });

  destinations
    .command("list")
    .description("the destinations in the gallery, with the names by which `muster connector install` takes them")
    .example("muster destinations list")
    .action(async (_options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const entries = await readList<GalleryEntry>(api, "/catalogue");
      const found = entries.flatMap(({ source_url, name, categories }) => {
        const [, address] = DESTINATIONS.exec(source_url) ?? [];
        return address === undefined ? [] : [{ install: address, name, categories }];
      });
      show(found, (all) =>
        table(
          ["INSTALL", "NAME", "CATEGORIES"],
          all.map(({ install, name, categories }) => [install, name, categories.join(", ")]),
          context.width,
        ),
      );
    });
}
