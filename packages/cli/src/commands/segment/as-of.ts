import type { SegmentPast } from "@muster/protocol/api/segment-history";
import { type Command, Option } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findSegment } from "../../find/find-segment.js";
import { readCount, readPast } from "../../input/option-values.js";
import { counted } from "../../output/counted.js";
import { table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";

interface AsOfFlags {
  who: "before" | "entered" | "left";
  limit: number;
}

// The largest page that the API gives.
const LARGEST_PAGE = 200;

export function addAsOf(segment: DocumentedCommand, context: CommandContext): void {
  segment
    .command("as-of <segment> <time>")
    .description("show who was in a segment at a time, and who differs now; TIME is a date, a time, or how long ago")
    .addOption(
      new Option("--who <group>", "whom to list: the members then, those who came since, or those who left since")
        .choices(["before", "entered", "left"])
        .default("before"),
    )
    .option("--limit <count>", "how many are listed at most", readCount, 30)
    .example("muster segment as-of Pros 7d")
    .example("muster segment as-of Pros 2026-05-01 --who left")
    .action(async (given: string, time: string, { who, limit }: AsOfFlags, command: Command) => {
      const at = readPast(time);
      const { api, show } = await connect(context, command);
      const { id } = await findSegment(api, given);
      const data: SegmentPast["data"] = [];
      let past: SegmentPast;
      let after: string | null = null;
      do {
        const perPage = Math.min(LARGEST_PAGE, limit - data.length);
        const next: string = after === null ? "" : `&after=${after}`;
        past = await api.get<SegmentPast>(`/${id}/as_of?at=${at}&who=${who}&per_page=${perPage}${next}`);
        data.push(...past.data);
        after = past.next;
      } while (after !== null && data.length < limit);
      show({ ...past, data }, (shown) => describe(shown, context.width));
    });
}

function describe({ at, before, now, entered, left, version, data }: SegmentPast, width: number | undefined): string {
  const by = version === null ? "" : `, by version ${version} of its definition`;
  const then = `${counted(before, "member")} on ${timeText(at)}${by}. ${now} now: ${entered} came and ${left} left.`;
  return data.length === 0
    ? then
    : [
        then,
        table(
          ["ID", "NAME"],
          data.map(({ id, name }) => [id, name ?? "-"]),
          width,
        ),
      ].join("\n\n");
}
