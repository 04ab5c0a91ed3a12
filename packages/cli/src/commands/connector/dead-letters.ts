import type {
  DeadLetter,
  DeadLetterDetails,
  DeadLetterSelection,
  DiscardedLetters,
  RetriedLetters,
} from "@muster/protocol/api/dead-letters";
import { Argument, type Command } from "commander";
import type { Api } from "../../api.js";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { findConnector } from "../../find/find-connector.js";
import { confirm } from "../../input/confirm.js";
import { readCount } from "../../input/option-values.js";
import { printableJson } from "../../output/printable.js";
import { table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { readList } from "../../read-list.js";

interface FilterFlags {
  connector?: string;
  channel?: string;
  about?: string;
  reason?: string;
}

interface SelectionFlags extends FilterFlags {
  all?: boolean;
  yes?: boolean;
}

export function addDeadLetters(connector: DocumentedCommand, context: CommandContext): void {
  const deadLetters = connector
    .command("dead-letters")
    .description("messages that could not be delivered")
    .example("muster connector dead-letters list --connector Mailer");

  withFilter(deadLetters.command("list", { isDefault: true }))
    .description("list messages that could not be delivered, the latest first")
    .option("--limit <count>", "how many at most", readCount)
    .example("muster connector dead-letters list --reason timeout")
    .action(async ({ limit, ...flags }: FilterFlags & { limit?: number }, command: Command) => {
      const { api, show } = await connect(context, command);
      const filter = new URLSearchParams(Object.entries(await filterOf(api, flags)));
      const letters = await readList<DeadLetter>(api, `/dead_letters?${filter}`, limit);
      show(letters, () => listing(letters, context.width));
    });

  deadLetters
    .command("show")
    .addArgument(new Argument("<number>", "number of the dead letter").argParser(readCount))
    .description("show a dead letter with its message, the last request and the answer")
    .example("muster connector dead-letters show 17")
    .action(async (number: number, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await api.get<DeadLetterDetails>(`/dead_letters/${number}`), (letter) => printableJson(letter, 2));
    });

  withSelection(deadLetters.command("retry"))
    .description("send dead letters again: those with the numbers, those that match, or all")
    .example("muster connector dead-letters retry --connector Mailer")
    .action(async (numbers: number[], flags: SelectionFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const retried = await inSteps(api, await selectionOf(api, numbers, flags), async (selection) => {
        const step = await api.post<RetriedLetters>("/dead_letters/retry", { ...selection, limit: RETRIED_AT_ONCE });
        return { done: step.retried, left: step.left };
      });
      show({ retried }, () => `${retried.toLocaleString("en")} sent again.`);
    });

  withSelection(deadLetters.command("discard"))
    .description("discard dead letters for good: those with the numbers, those that match, or all")
    .option("--yes", "do not ask first")
    .example("muster connector dead-letters discard 17 18")
    .action(async (numbers: number[], flags: SelectionFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const selection = await selectionOf(api, numbers, flags);
      const which = numbers.length > 0 ? `Dead letters ${numbers.join(", ")}` : "All dead letters that match";
      await confirm(context, `${which} are discarded for good and never sent. Discard them?`, flags.yes);
      const discarded = await inSteps(api, selection, async (part) => {
        const step = await api.post<DiscardedLetters>("/dead_letters/discard", { ...part, limit: DISCARDED_AT_ONCE });
        return { done: step.discarded, left: step.left };
      });
      show({ discarded }, () => `${discarded.toLocaleString("en")} discarded.`);
    });
}

// Each request takes a second or two. A million letters in one request would take longer than a proxy waits.
const RETRIED_AT_ONCE = 2_000;
const DISCARDED_AT_ONCE = 10_000;

/** Does something to all letters of a selection, some at a time. Letters that come meanwhile are left out. */
async function inSteps(
  api: Api,
  selection: object,
  step: (selection: object) => Promise<{ done: number; left: number | undefined }>,
): Promise<number> {
  const [newest] = await readList<DeadLetter>(api, "/dead_letters", 1);
  let total = 0;
  for (let left: number | undefined = newest?.id; left; ) {
    const answer = await step({ ...selection, up_to: newest?.id });
    total += answer.done;
    left = answer.left;
  }
  return total;
}

function withFilter(command: DocumentedCommand): DocumentedCommand {
  return command
    .option("--connector <id>", "of this connector: its id or name")
    .option("--channel <channel>", "of this channel, e.g. user:update")
    .option("--about <id>", "about this user, account or other object")
    .option("--reason <text>", "whose reason contains the text");
}

function withSelection(command: DocumentedCommand): DocumentedCommand {
  const numbers = new Argument("[numbers...]", "numbers of dead letters").argParser(
    (given: string, before?: number[]) => [...(before ?? []), readCount(given)],
  );
  return withFilter(command.addArgument(numbers)).option("--all", "all of the organization");
}

async function filterOf(api: Api, { connector, channel, about, reason }: FilterFlags): Promise<Record<string, string>> {
  return {
    ...(connector === undefined ? {} : { connector_id: (await findConnector(api, connector)).id }),
    ...(channel === undefined ? {} : { channel }),
    ...(about === undefined ? {} : { entity_id: about }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Requires a selection, so that a forgotten option never sends or discards everything. */
async function selectionOf(
  api: Api,
  numbers: number[] | undefined,
  flags: SelectionFlags,
): Promise<DeadLetterSelection> {
  const filter = await filterOf(api, flags);
  const ids = numbers && numbers.length > 0 ? { ids: numbers } : {};
  if (Object.keys(filter).length === 0 && !numbers?.length && !flags.all) {
    throw usageFailure("Say which: give numbers, a filter such as --connector, or --all.");
  }
  return { ...filter, ...ids };
}

function listing(letters: DeadLetter[], width: number | undefined): string {
  if (letters.length === 0) return "No dead letters.";
  return table(
    ["NUMBER", "CONNECTOR", "CHANNEL", "ABOUT", "ATTEMPTS", "SINCE", "REASON"],
    letters.map((letter) => [
      String(letter.id),
      letter.connector_id,
      letter.channel,
      letter.entity_id,
      String(letter.attempts),
      timeText(letter.created_at),
      letter.reason,
    ]),
    width,
  );
}
