import { INTERVALS } from "@muster/protocol/api/charts";
import { Option } from "commander";
import type { DocumentedCommand } from "../../documentation/documented-command.js";

/** The time of an insight. What is left out has the default of the server. */
export interface TimeFlags {
  from?: string;
  to?: string;
  timeZone?: string;
}

export interface BreakdownFlags {
  breakdown?: string;
}

export function withTime(command: DocumentedCommand): DocumentedCommand {
  return command
    .option("--from <time>", "a date, or date math such as now-30d/d (the default)")
    .option("--to <time>", "the end, which is not included (default: now)")
    .option("--time-zone <zone>", "such as Europe/Paris (default: UTC)");
}

export function intervalOption(): Option {
  return new Option("--interval <unit>", "the unit of time").choices(INTERVALS);
}

export function withBreakdown(command: DocumentedCommand): DocumentedCommand {
  return command.option(
    "--breakdown <field>",
    "by the most frequent values of properties.NAME, user.NAME or account.NAME",
  );
}

/** The time as the API takes it. */
export function timeOf({ from, to, timeZone }: TimeFlags): Record<string, string> {
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
  };
}
