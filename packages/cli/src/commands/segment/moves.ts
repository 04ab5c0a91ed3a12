import type { SegmentMove } from "@muster/protocol/api/segment-history";
import { type Command, Option } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findSegment } from "../../find/find-segment.js";
import { readCount } from "../../input/option-values.js";
import { table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";

interface MovesFlags {
  only?: SegmentMove["action"];
  limit: number;
}

// The largest page that the API gives.
const LARGEST_PAGE = 200;

export function addMoves(segment: DocumentedCommand, context: CommandContext): void {
  segment
    .command("moves <segment>")
    .description("list who entered and who left a segment, the latest first")
    .addOption(new Option("--only <action>", "only those who did this").choices(["entered", "left"]))
    .option("--limit <count>", "how many at most", readCount, 30)
    .example("muster segment moves Pros --only left")
    .action(async (given: string, { only, limit }: MovesFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findSegment(api, given);
      const moves: SegmentMove[] = [];
      let cursor: string | null = null;
      do {
        const query = new URLSearchParams({
          per_page: String(Math.min(LARGEST_PAGE, limit - moves.length)),
          ...(only === undefined ? {} : { action: only }),
          ...(cursor === null ? {} : { cursor }),
        });
        const page: { data: SegmentMove[]; next: string | null } = await api.get(`/${id}/moves?${query}`);
        moves.push(...page.data);
        cursor = page.next;
      } while (cursor !== null && moves.length < limit);
      show(moves, () => listing(moves, context.width));
    });
}

function listing(moves: readonly SegmentMove[], width: number | undefined): string {
  if (moves.length === 0) return "Nobody has entered or left yet.";
  return table(
    ["WHEN", "MOVE", "ID", "NAME"],
    moves.map(({ at, action, subject }) => [timeText(at), action, subject.id, subject.name ?? "-"]),
    width,
  );
}
