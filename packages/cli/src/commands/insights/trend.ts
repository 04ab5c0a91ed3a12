import { MEASURES } from "@muster/protocol/api/choices";
import { type Command, Option } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { findSegment } from "../../find/find-segment.js";
import { answerInsight } from "./answer-insight.js";
import {
  type BreakdownFlags,
  intervalOption,
  type TimeFlags,
  timeOf,
  withBreakdown,
  withTime,
} from "./time-options.js";

interface TrendFlags extends TimeFlags, BreakdownFlags {
  measure: string;
  property?: string;
  segment?: string;
  interval?: string;
}

export function addTrend(insights: DocumentedCommand, context: CommandContext): void {
  withTime(withBreakdown(insights.command("trend [events...]")))
    .description("show how often events happened over time, or the size of a segment; without a name, any event")
    .addOption(new Option("--measure <measure>", "what is counted or computed").choices(MEASURES).default("count"))
    .option("--property <name>", "the property for sum, avg, min and max, such as properties.total")
    .option("--segment <segment>", "the members of this segment instead of events")
    .addOption(intervalOption())
    .example('muster insights trend "Signed up" --interval week --measure users')
    .example("muster insights trend --segment Pros --from now-90d/d")
    .action(async (events: string[], flags: TrendFlags, command: Command) => {
      const { measure, property, segment, interval, breakdown } = flags;
      if (segment !== undefined && events.length > 0) throw usageFailure("Give events or --segment, not both.");
      const { api, show } = await connect(context, command);
      const what = { measure, ...(property === undefined ? {} : { property }) };
      const series =
        segment !== undefined
          ? [{ segment: (await findSegment(api, segment)).id }]
          : events.length === 0
            ? [what]
            : events.map((event) => ({ event, ...what }));
      const trend = {
        series,
        ...(interval === undefined ? {} : { interval }),
        ...(breakdown === undefined ? {} : { breakdown }),
        ...timeOf(flags),
      };
      const { answer, text } = await answerInsight(api, { trend }, context.width);
      show(answer, text);
    });
}
