import type { SubjectType } from "@muster/protocol";
import type {
  DoNotMerge,
  SubjectHalf,
  SubjectMerges,
  UnmergeChoices,
  Unmerged,
  UnmergePreview,
} from "@muster/protocol/api/merges";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findSubject } from "../../find/find-subject.js";
import { confirm } from "../../input/confirm.js";
import { lines, table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { valueText } from "../../output/value-text.js";
import { readList } from "../../read-list.js";
import { byOption } from "./subject.js";

interface UnmergeFlags {
  by?: string;
  dryRun?: boolean;
  mayMergeAgain?: boolean;
  give?: string[];
  giveEvents?: boolean;
  giveAccount?: boolean;
  yes?: boolean;
}

/** Adds the commands about merges that users and accounts have in common. */
export function addMerges(group: DocumentedCommand, subjectType: SubjectType, context: CommandContext): void {
  const known = subjectType === "user" ? "mia@example.com" : "example.com";
  const merged = subjectType === "user" ? "018f6d2b4c0010a1b2000005" : "018f6d2b4c0011a1b2000002";
  group
    .command(`merges <${subjectType}>`)
    .description(
      `list what was merged into ${subjectType === "user" ? "a user" : "an account"}, and what can be undone`,
    )
    .addOption(byOption(subjectType))
    .example(`muster ${subjectType} merges ${known}`)
    .action(async (given: string, { by }: { by?: string }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findSubject(api, subjectType, given, by);
      const merges = await api.get<SubjectMerges>(`/${id}/merges`);
      show(merges, () => describeMerges(merges, context.width));
    });

  group
    .command(`unmerge <${subjectType}> <merged-id>`)
    .description("undo a merge; --dry-run shows both halves side by side")
    .addOption(byOption(subjectType))
    .option("--dry-run", "only show both halves")
    .option("--may-merge-again", "let the same evidence merge the two again")
    .option("--give <attributes...>", "attributes of which nobody knows whose they are, for the one that is split off")
    .option("--give-events", "the events of which nobody knows")
    .option("--give-account", "the link to the account")
    .option("--yes", "do not ask first")
    .example(`muster ${subjectType} unmerge ${known} ${merged} --dry-run`)
    .action(async (given: string, mergedId: string, flags: UnmergeFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findSubject(api, subjectType, given, flags.by);
      const body = { merged_id: mergedId, choices: choicesOf(flags) };
      const preview = await api.post<UnmergePreview>(`/${id}/unmerge`, { ...body, dry_run: true });
      if (flags.dryRun) {
        show(preview, () => describePreview(preview, context.width));
        return;
      }
      const { survivor, split_off: other } = preview;
      await confirm(
        context,
        `${other.id} is split off ${survivor.id}, with ${other.attributes.length} attributes and ${other.events ?? "all its"} events. --dry-run shows both side by side. Split the two?`,
        flags.yes,
      );
      const done = await api.post<Unmerged>(`/${id}/unmerge`, { ...body, never_again: !flags.mayMergeAgain });
      show(done, () => lines({ survivor: done.id, "split off": done.unmerged_id, position: done.position }));
    });
}

/** Adds the commands about those that must not be merged. */
export function addDoNotMerge(program: DocumentedCommand, context: CommandContext): void {
  const group = program
    .command("do-not-merge")
    .description("users and accounts that are not merged, because somebody has undone their merge")
    .example("muster do-not-merge list");
  group
    .command("list")
    .description("list them, the latest first")
    .example("muster do-not-merge list")
    .action(async (_flags: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const decisions = await readList<DoNotMerge>(api, "/do_not_merge");
      show(decisions, () =>
        decisions.length === 0
          ? "Everybody may be merged."
          : table(
              ["DECISION", "TYPE", "SINCE"],
              decisions.map(({ id, type, created_at }) => [id, type, timeText(created_at)]),
              context.width,
            ),
      );
    });
  group
    .command("remove <decision>")
    .description("let the two be merged again, by the next record that names both")
    .example("muster do-not-merge remove 018f6d2b4c0010a1b2000007-018f6d2b4c0010a1b2000008")
    .action(async (decision: string, _flags: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const removed = await api.delete<{ id: string }>(`/do_not_merge/${decision}`);
      show(removed, ({ id }) => `The decision ${id} is removed.`);
    });
}

function choicesOf({ give, giveEvents, giveAccount }: UnmergeFlags): UnmergeChoices {
  return {
    ...(give ? { attributes: give } : {}),
    ...(giveEvents ? { events: true } : {}),
    ...(giveAccount ? { account: true } : {}),
  };
}

function describeMerges({ merges, undone }: SubjectMerges, width: number | undefined): string {
  const parts = [
    merges.length === 0
      ? "Nothing was merged into it."
      : table(
          ["MERGED ID", "AT", "BY", "CAN BE UNDONE"],
          merges.map(({ merged_id, merged_at, cause, can_undo, why_not }) => [
            merged_id,
            timeText(merged_at),
            cause ? `${cause.identifier} ${cause.value}` : "",
            can_undo ? "yes" : why_not,
          ]),
          width,
        ),
  ];
  if (undone.length > 0) {
    parts.push(
      table(
        ["UNDONE", "MERGED ID", "SURVIVOR"],
        undone.map(({ merged_id, survivor_id, undone_at }) => [timeText(undone_at), merged_id, survivor_id]),
        width,
      ),
    );
  }
  return parts.join("\n\n");
}

function describePreview({ survivor, split_off, undecided, connectors }: UnmergePreview, width: number | undefined) {
  const halves = [survivor, split_off];
  const kinds = [...new Set(halves.flatMap(({ identifiers }) => Object.keys(identifiers)))];
  const names = [...new Set(halves.flatMap(({ attributes }) => attributes.map(({ name }) => name)))].sort();
  const segments = [...new Set(halves.flatMap((half) => half.segments.map(({ name }) => name)))];
  const rows = [
    ["id", ...halves.map(({ id }) => id)],
    ...kinds.map((kind) => [kind, ...halves.map(({ identifiers }) => identifiers[kind]?.join(", ") ?? "")]),
    ...names.map((name) => [
      name,
      ...halves.map(({ attributes }) => valueText(attributes.find((one) => one.name === name)?.value)),
    ]),
    ["events", ...halves.map(({ events }) => (events === null ? "not counted" : String(events)))],
    ["account", ...halves.map(({ account }) => account?.name ?? account?.id ?? "")],
    ...segments.map((name) => [`segment ${name}`, ...halves.map((half) => segmentText(half, name))]),
  ];
  const open = [
    ...undecided.attributes.map(({ name, value }) => `${name} ${valueText(value)}`),
    ...undecided.identifiers.map(({ kind, value }) => `${kind} ${value}`),
    ...(undecided.account ? ["the link to the account"] : []),
    ...(undecided.events > 0 ? [`${undecided.events} events`] : []),
  ];
  return [
    table(["", "STAYS", "SPLIT OFF"], rows, width),
    lines({
      "nobody can decide": open.join(", ") || "-",
      "connectors told": connectors.map(({ id, name }) => name ?? id).join(", ") || "-",
    }),
  ].join("\n\n");
}

function segmentText({ segments }: SubjectHalf, name: string): string {
  const found = segments.find((segment) => segment.name === name);
  if (!found) return "no";
  return found.after === null ? "not known before" : found.after ? "yes" : "no";
}
