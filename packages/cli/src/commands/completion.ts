import { Argument, type Command } from "commander";
import { type CommandContext, globalOptions, showWith } from "../command-context.js";
import { SCRIPTS, SHELLS, type Shell } from "../completion/scripts.js";
import { suggest } from "../completion/suggest.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";

export function addCompletion(program: DocumentedCommand, context: CommandContext): void {
  const completion = program
    .command("completion")
    .description("print a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>", "your shell").choices([...SHELLS]))
    .example("source <(muster completion bash)")
    .action((shell: Shell, _options: object, command: Command) => {
      const script = SCRIPTS[shell];
      showWith(context, globalOptions(command))({ shell, script }, () => script);
    });

  // The scripts call this.
  completion
    .command("suggest", { hidden: true })
    .description("print what can follow these words, one in each line, with a tab before its description")
    .argument("[words...]")
    .example('muster completion suggest -- connector ""')
    .action((words: string[]) => {
      for (const { word, description } of suggest(program, words)) context.print(`${word}\t${description}`);
    });
}
