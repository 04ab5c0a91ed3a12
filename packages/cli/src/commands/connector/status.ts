import type { OwnConnector, Schedule } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import type { PastStatus } from "@muster/protocol/api/status";
import type { Command } from "commander";
import type { Api } from "../../api.js";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findConnector } from "../../find/find-connector.js";
import { lines, table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { readList } from "../../read-list.js";

interface ConnectorState {
  id: string;
  name: string;
  enabled: boolean;
  status: string;
  messages: string[];
  delivery: Delivery | null;
}

const HISTORY = 5;

export function addConnectorStatus(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("status [id]")
    .description("show the status of one connector or of all, and the state of its deliveries")
    .example("muster connector status Mailer")
    .action(async (id: string | undefined, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      if (id === undefined) show(await statesOf(api), (states) => overview(states, context.width));
      else show(await detailsOf(api, await findConnector(api, id)), (details) => describe(details, context.width));
    });
}

async function statesOf(api: Api): Promise<ConnectorState[]> {
  const connectors = await readList<OwnConnector>(api, "/connectors");
  const deliveries = await readList<Delivery>(api, "/deliveries");
  const byConnector = new Map(deliveries.map((delivery) => [delivery.connector_id, delivery]));
  return connectors.map((record) => stateOf(record, byConnector.get(record.id) ?? null));
}

function stateOf({ id, name, enabled, status }: OwnConnector, delivery: Delivery | null): ConnectorState {
  return { id, name, enabled, status: status.status, messages: status.messages, delivery };
}

async function detailsOf(api: Api, record: OwnConnector) {
  const [delivery, schedules, history] = await Promise.all([
    api.get<Delivery>(`/${record.id}/delivery`),
    readList<Schedule>(api, `/${record.id}/schedules`),
    readList<PastStatus>(api, `/${record.id}/status/history`, HISTORY),
  ]);
  return { ...stateOf(record, delivery), schedules, history };
}

function overview(states: ConnectorState[], width: number | undefined): string {
  return table(
    ["ID", "NAME", "STATUS", "WAITING", "LAG", "DEAD", "CIRCUIT", "LAST ERROR"],
    states.map(({ id, name, enabled, status, delivery }) => [
      id,
      name,
      enabled ? status : `${status} (disabled)`,
      String(delivery?.queued_messages ?? 0),
      `${Math.round((delivery?.lag_ms ?? 0) / 1_000)} s`,
      String(delivery?.dead_letters ?? 0),
      delivery?.circuit ?? "-",
      delivery?.last_error ?? "-",
    ]),
    width,
  );
}

function describe(details: Awaited<ReturnType<typeof detailsOf>>, width: number | undefined): string {
  const { id, name, enabled, status, messages, delivery, schedules, history } = details;
  return [
    lines({
      id,
      name,
      enabled: enabled ? "yes" : "no",
      status: [status, ...messages].join(": "),
      ...(delivery
        ? {
            sent: delivery.sent_messages.toLocaleString("en"),
            waiting: waitingText(delivery),
            "dead letters": delivery.dead_letters.toLocaleString("en"),
            circuit: delivery.circuit,
            "last sent": timeText(delivery.last_sent_at),
            "last failed": timeText(delivery.last_failed_at),
            "last error": delivery.last_error ?? "-",
          }
        : {}),
    }),
    ...(schedules.length === 0
      ? []
      : [
          table(
            ["CALL", "PATH", "TIMING", "NEXT", "LAST", "RESULT"],
            schedules.map((each) => [
              each.kind,
              each.url,
              each.timing,
              timeText(each.due_at),
              timeText(each.last_run_at),
              each.last_result ?? "-",
            ]),
            width,
          ),
        ]),
    ...(history.length === 0
      ? []
      : [
          table(
            ["SINCE", "STATUS", "SET BY", "MESSAGES"],
            history.map((past) => [timeText(past.created_at), past.status, past.source, past.messages.join(" ")]),
            width,
          ),
        ]),
  ].join("\n\n");
}

function waitingText({ queued_messages: queued, lag_ms: lagMs }: Delivery): string {
  return queued === 0 ? "0" : `${queued.toLocaleString("en")}, the oldest for ${Math.round(lagMs / 1_000)} s`;
}
