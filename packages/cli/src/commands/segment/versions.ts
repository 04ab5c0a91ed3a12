import type { SegmentVersion } from "@muster/protocol/api/segment-history";
import type { Segment } from "@muster/protocol/api/segments";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findSegment } from "../../find/find-segment.js";
import { readCount } from "../../input/option-values.js";
import { table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { readList } from "../../read-list.js";

export function addVersions(segment: DocumentedCommand, context: CommandContext): void {
  segment
    .command("versions <segment>")
    .description("list the definitions that a segment has had, the latest first")
    .example("muster segment versions Pros")
    .action(async (given: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findSegment(api, given);
      const versions = await readList<SegmentVersion>(api, `/${id}/versions`);
      show(versions, () => listing(versions, context.width));
    });

  segment
    .command("restore")
    .argument("<segment>", "the segment")
    .argument("<version>", "its number, as `versions` lists it", readCount)
    .description("give a segment the query of an earlier version; the present one stays among the versions")
    .example("muster segment restore Pros 1")
    .action(async (given: string, version: number, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findSegment(api, given);
      const restored = await api.post<Segment>(`/${id}/versions/${version}/restore`, {});
      show(restored, () => `"${restored.name}" has the query of version ${version} again.`);
    });
}

function listing(versions: readonly SegmentVersion[], width: number | undefined): string {
  return table(
    ["VERSION", "SAVED", "BY", "QUERY"],
    versions.map(({ number, saved_at, who, sentence, restored }) => [
      String(number),
      timeText(saved_at),
      who ?? "-",
      restored === null ? sentence : `${sentence} (version ${restored} again)`,
    ]),
    width,
  );
}
