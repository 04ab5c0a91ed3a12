import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Command } from "commander";
import { type CommandContext, globalOptions, showWith } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { table } from "../output/table.js";
import { serverProgram } from "../server-process.js";

interface SettingLine {
  env: string;
  value: string;
  default?: string;
  description: string;
}

export function addConfig(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("config")
    .description("print the settings that a server started here would use, secrets masked")
    .example("muster config --json")
    .action(async (_options: object, command: Command) => {
      const options = globalOptions(command);
      showWith(context, options)(await readSettings(context, options.dataDir), (settings) =>
        table(
          ["SETTING", "VALUE", "MEANING"],
          settings.map(({ env, value, description }) => [env, value, description]),
        ),
      );
    });
}

async function readSettings({ environment }: CommandContext, dataDir: string | undefined): Promise<SettingLine[]> {
  const main = serverProgram();
  const flags = ["--print-config", ...(dataDir === undefined ? [] : ["--data-dir", dataDir])];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...flags], { env: { ...environment } });
    return JSON.parse(stdout) as SettingLine[];
  } catch (error) {
    // The server writes every problem to its standard error.
    const { stderr } = error as { stderr?: string };
    throw new Error(stderr?.trim() || (error as Error).message, { cause: error });
  }
}
