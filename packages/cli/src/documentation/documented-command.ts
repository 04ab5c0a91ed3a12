import { Command } from "commander";

/** A command that has examples. Its help shows them, and docs/cli.md is made from them. */
export class DocumentedCommand extends Command {
  readonly examples: string[] = [];

  override createCommand(name?: string): DocumentedCommand {
    return new DocumentedCommand(name);
  }

  /** Adds an example; a test requires one for every command. */
  example(line: string): this {
    this.examples.push(line);
    return this;
  }

  override helpInformation(context?: Parameters<Command["helpInformation"]>[0]): string {
    const help = super.helpInformation(context);
    if (this.examples.length === 0) return help;
    const heading = this.examples.length === 1 ? "Example:" : "Examples:";
    return `${help}\n${heading}\n${this.examples.map((line) => `  ${line}\n`).join("")}`;
  }
}
