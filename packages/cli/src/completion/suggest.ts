import type { Command, Option } from "commander";

export interface Suggestion {
  word: string;
  description: string;
}

/** What can follow these words on the command line. The last word is the one that is being typed; it may be empty. */
export function suggest(program: Command, words: readonly string[]): Suggestion[] {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  let command = program;
  let place = 0;
  let waiting: Option | undefined;
  for (const word of before) {
    if (waiting) {
      waiting = undefined;
    } else if (word === "--") {
      return [];
    } else if (word.startsWith("-")) {
      const option = optionsOf(command).find((each) => [each.long, each.short].includes(word.split("=")[0]));
      if (option?.required && !word.includes("=")) waiting = option;
    } else {
      const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      if (next) command = next;
      else place += 1;
    }
  }
  return candidates(command, place, typed, waiting).filter(({ word }) => word.startsWith(typed));
}

function candidates(command: Command, place: number, typed: string, waiting: Option | undefined): Suggestion[] {
  if (waiting) return plain(waiting.argChoices);
  if (typed.startsWith("-")) {
    const options = optionsOf(command).filter(({ hidden }) => !hidden);
    return [
      ...options.map((option) => ({ word: option.long ?? option.flags, description: option.description })),
      { word: "--help", description: "display help for command" },
    ];
  }
  const argument = command.registeredArguments[place] ?? lastVariadic(command);
  return [...(place === 0 ? subcommands(command) : []), ...plain(argument?.argChoices)];
}

function subcommands(command: Command): Suggestion[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), description: each.summary() || each.description() }));
}

function lastVariadic(command: Command) {
  const last = command.registeredArguments.at(-1);
  return last?.variadic ? last : undefined;
}

function plain(choices: readonly string[] | undefined): Suggestion[] {
  return (choices ?? []).map((word) => ({ word, description: "" }));
}

/** The options of a command and of the commands above it. */
function optionsOf(command: Command): Option[] {
  return [...command.options, ...(command.parent ? optionsOf(command.parent) : [])];
}
