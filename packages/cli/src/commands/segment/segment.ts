import type { Segment } from "@muster/protocol/api/segments";
import type { Removed } from "@muster/protocol/api/subjects";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { findSegment } from "../../find/find-segment.js";
import { confirm } from "../../input/confirm.js";
import { counted } from "../../output/counted.js";
import { printableJson } from "../../output/printable.js";
import { lines, table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { readList } from "../../read-list.js";
import { addAsOf } from "./as-of.js";
import { type Definition, readDefinition, type SegmentType, typeOption, withDefinition } from "./definition.js";
import { addExplain } from "./explain.js";
import { addMoves } from "./moves.js";
import { addOverlap } from "./overlap.js";
import { addPreview } from "./preview.js";
import { addVersions } from "./versions.js";
import { warningLines } from "./warning-lines.js";

export function addSegment(program: DocumentedCommand, context: CommandContext): void {
  const segment = program
    .command("segment")
    .description("saved queries; SEGMENT is the id of a segment, or a name that only one has")
    .example("muster segment list");

  segment
    .command("list")
    .description("list the segments")
    .addOption(typeOption("only segments of users, or of accounts"))
    .example("muster segment list --type accounts")
    .action(async ({ type }: { type?: SegmentType }, command: Command) => {
      const { api, show } = await connect(context, command);
      const all = await readList<Segment>(api, type === undefined ? "/segments" : `/${type}_segments`);
      show(all, () => listing(all, context.width));
    });

  segment
    .command("show <segment>")
    .description("show a segment with its query")
    .example("muster segment show Newsletter")
    .action(async (given: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findSegment(api, given);
      // A list, in which names are looked up, has no warnings.
      show(await api.get<Segment>(`/${id}`), describe);
    });

  withDefinition(segment.command("create <name>"))
    .description("create a segment from a query or a predicate")
    .addOption(typeOption("whom it selects").default("users"))
    .example('muster segment create Pros --query \'{"term": {"plan": "pro"}}\'')
    .example("muster segment create Pros --query @pros.json")
    .action(async (name: string, { type, ...given }: Definition & { type: SegmentType }, command: Command) => {
      const { api, show } = await connect(context, command);
      const definition = await readDefinition(context, given);
      if (Object.keys(definition).length === 0) throw usageFailure("Give --query or --predicate.");
      show(await api.post<Segment>(`/${type}_segments`, { name, query: {}, predicate: {}, ...definition }), describe);
    });

  withDefinition(segment.command("update <segment>"))
    .description("change the name or the query of a segment; `preview` shows first who enters and leaves")
    .option("--name <name>", "new name")
    .example('muster segment update Pros --name "Paying users"')
    .action(async (given: string, { name, ...flags }: Definition & { name?: string }, command: Command) => {
      const { api, show } = await connect(context, command);
      const definition = await readDefinition(context, flags);
      const changes = { ...(name === undefined ? {} : { name }), ...definition };
      if (Object.keys(changes).length === 0) throw usageFailure("Give --name, --query or --predicate.");
      const { id } = await findSegment(api, given);
      show(await api.put<Segment>(`/${id}`, changes), describe);
    });

  segment
    .command("delete <segment>")
    .description("delete a segment; the users and accounts in it stay")
    .option("--yes", "do not ask first")
    .example("muster segment delete Pros")
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id, name } = await findSegment(api, given);
      const question = `The segment "${name}" (${id}) is deleted for good, and connectors that use it are told. Delete it?`;
      await confirm(context, question, yes);
      show(await api.delete<Removed>(`/${id}`), () => `"${name}" (${id}) is deleted.`);
    });

  addPreview(segment, context);
  addExplain(segment, context);
  addOverlap(segment, context);
  addMoves(segment, context);
  addAsOf(segment, context);
  addVersions(segment, context);
}

/** The server finds the members of a new query after it has answered. */
const BEING_COUNTED = "being counted; `muster segment show` has the number";

function sizeOf({ stats }: Segment): number {
  return stats.users ?? stats.accounts ?? 0;
}

function kindOf({ type }: Segment): SegmentType {
  return type === "accounts_segment" ? "accounts" : "users";
}

function listing(segments: Segment[], width: number | undefined): string {
  if (segments.length === 0) return "No segments yet.";
  return table(
    ["ID", "NAME", "OF", "MEMBERS", "STATUS", "UPDATED"],
    segments.map((each) => [
      each.id,
      each.name,
      kindOf(each),
      // Nobody has been compared with a new query yet, so its number is unknown.
      statusOf(each) === "evaluating" ? "…" : sizeOf(each).toLocaleString("en"),
      statusOf(each),
      timeText(each.updated_at),
    ]),
    width,
  );
}

function statusOf({ status, evaluated }: Segment): string {
  return status === "ok" && !evaluated ? "evaluating" : status;
}

function describe(segment: Segment): string {
  const { id, name, error, query, predicate, created_at, updated_at, warnings = [] } = segment;
  const status = statusOf(segment);
  const members = status === "evaluating" ? BEING_COUNTED : counted(sizeOf(segment), kindOf(segment));
  return [
    lines({
      id,
      name,
      members,
      status: error === null ? status : `${status}: ${error}`,
      created: timeText(created_at),
      updated: timeText(updated_at),
      evaluated: evaluationOf(segment),
    }),
    ...warningLines(warnings),
    `query: ${jsonText(query)}`,
    ...(Object.keys(predicate).length === 0 ? [] : [`predicate: ${jsonText(predicate)}`]),
  ].join("\n\n");
}

/** When everybody was last compared with the query that the segment has now. */
function evaluationOf({ evaluated, evaluated_at, stale_seconds }: Segment): string {
  if (evaluated_at === null) return "not yet";
  if (!evaluated) return `not since the query was changed; before that ${timeText(evaluated_at)}`;
  return stale_seconds === 0 ? timeText(evaluated_at) : `${timeText(evaluated_at)}, stale for ${stale_seconds} s`;
}

/** JSON on one line when it fits there. */
function jsonText(value: unknown): string {
  const line = printableJson(value);
  return line.length <= 100 ? line : printableJson(value, 2);
}
