import type { Trace } from "@muster/protocol/api/deliveries";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findSubject } from "../../find/find-subject.js";
import { readCount } from "../../input/option-values.js";
import { table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { valueText } from "../../output/value-text.js";
import { readList } from "../../read-list.js";
import { type Found, searchPages } from "../../search/search-pages.js";
import { addMerges } from "./merges.js";
import { addShowAndErase, byOption } from "./subject.js";

interface ListFlags {
  by?: string;
  limit: number;
}

export function addUser(program: DocumentedCommand, context: CommandContext): void {
  const user = program
    .command("user")
    .description("one user; USER is its id, email, external id or anonymous id")
    .example("muster user show ada@example.com");
  addShowAndErase(user, "user", context);
  addMerges(user, "user", context);

  user
    .command("events <user>")
    .description("list the events of a user, the latest first")
    .addOption(byOption("user"))
    .option("--limit <count>", "how many at most", readCount, 30)
    .example("muster user events ada@example.com --limit 100")
    .action(async (given: string, { by, limit }: ListFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findSubject(api, "user", given, by);
      const request = { query: { term: { user_id: id } }, sort: { created_at: "desc" }, limit };
      const events: Found[] = [];
      for await (const { rows } of searchPages(api, "events", request)) events.push(...rows);
      show(events, () => eventList(events, context.width));
    });

  user
    .command("traces <user>")
    .description("list what connectors were sent about a user, the latest first")
    .addOption(byOption("user"))
    .option("--limit <count>", "how many at most", readCount, 30)
    .example("muster user traces ada@example.com")
    .action(async (given: string, { by, limit }: ListFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findSubject(api, "user", given, by);
      const traces = await readList<Trace>(api, `/${id}/traces`, limit);
      show(traces, () => traceList(traces, context.width));
    });
}

function eventList(events: Found[], width: number | undefined): string {
  if (events.length === 0) return "No events.";
  return table(
    ["AT", "EVENT", "SOURCE", "PROPERTIES"],
    events.map((event) => [
      timeText(valueText(event.created_at)),
      valueText(event.event),
      valueText(event.event_source),
      valueText(event.properties),
    ]),
    width,
  );
}

function traceList(traces: Trace[], width: number | undefined): string {
  if (traces.length === 0) return "Nothing was sent about this user.";
  return table(
    ["SENT", "CONNECTOR", "CHANNEL", "RESULT", "STATUS", "MS", "REASON"],
    traces.map((trace) => [
      timeText(trace.sent_at),
      trace.connector_id,
      trace.channel,
      trace.result,
      String(trace.status),
      String(trace.duration_ms),
      trace.reason,
    ]),
    width,
  );
}
