import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { findSegment } from "../../find/find-segment.js";
import { counted } from "../../output/counted.js";
import { table } from "../../output/table.js";

/** What `POST /segments/overlap` answers. */
interface Overlap {
  total: number;
  segments: { id: string; name: string; type: string; count: number }[];
  /** Nobody is in two of them. */
  regions: { segment_ids: string[]; count: number }[];
}

export function addOverlap(segment: DocumentedCommand, context: CommandContext): void {
  segment
    .command("overlap <segments...>")
    .description("count who is in two or three segments at once, and in one of them alone")
    .example("muster segment overlap Pros Newsletter")
    .action(async (given: string[], _options: object, command: Command) => {
      if (given.length < 2 || given.length > 3) throw usageFailure("Give two or three segments.");
      const { api, show } = await connect(context, command);
      const found = await Promise.all(given.map((each) => findSegment(api, each)));
      const overlap = await api.post<Overlap>("/segments/overlap", { segment_ids: found.map(({ id }) => id) });
      show(overlap, () => describe(overlap, context.width));
    });
}

function describe({ total, segments, regions }: Overlap, width: number | undefined): string {
  const noun = segments[0]?.type === "accounts_segment" ? "accounts" : "users";
  const names = new Map(segments.map(({ id, name }) => [id, name]));
  const rows = regions.map(({ segment_ids: ids, count }) => [
    ids.map((id) => names.get(id) ?? id).join(" and "),
    ids.length === segments.length ? "" : "alone",
    count.toLocaleString("en"),
    total === 0 ? "-" : `${((count / total) * 100).toFixed(1)}%`,
  ]);
  return `Of ${counted(total, noun)}:\n\n${table(["IN", "", noun.toUpperCase(), "SHARE"], rows, width)}`;
}
