import type { CommandContext } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { addCheck } from "./check.js";
import { addCredentials } from "./credentials.js";
import { addDeadLetters } from "./dead-letters.js";
import { addEndpoints } from "./endpoints.js";
import { addInstallation } from "./installation.js";
import { addListAndShow } from "./list-and-show.js";
import { addLogs } from "./logs.js";
import { addRevert } from "./revert.js";
import { addRun } from "./run.js";
import { addSet } from "./set.js";
import { addConnectorStatus } from "./status.js";
import { addSwitch } from "./switch.js";

export function addConnector(program: DocumentedCommand, context: CommandContext): void {
  const connector = program
    .command("connector")
    .description("connectors of an organization; ID is the id of a connector, or a name that only one has")
    .example("muster connector list");
  addListAndShow(connector, context);
  addInstallation(connector, context);
  addRun(connector, context);
  addCheck(connector, context);
  addCredentials(connector, context);
  addSet(connector, context);
  addSwitch(connector, context);
  addConnectorStatus(connector, context);
  addLogs(connector, context);
  addDeadLetters(connector, context);
  addEndpoints(connector, context);
  addRevert(connector, context);
}
