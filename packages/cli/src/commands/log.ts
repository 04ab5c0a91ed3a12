import { setTimeout as sleep } from "node:timers/promises";
import type { LogLocation } from "@muster/protocol/api/operations";
import { type Command, Option } from "commander";
import type { Api } from "../api.js";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { confirm } from "../input/confirm.js";
import { lines } from "../output/table.js";

interface MoveFlags {
  to: LogLocation["log"];
  abandon?: boolean;
  yes?: boolean;
}

const LOOK_EVERY_MS = 1_000;

export function addLog(program: DocumentedCommand, context: CommandContext): void {
  const log = program
    .command("log")
    .description("the ingestion log of an organization: in PostgreSQL, or in NATS when the server has NATS_URL")
    .example("muster log show --org acme");

  log
    .command("show")
    .description("show where the log is, and how many records are not applied yet")
    .example("muster log show --org acme")
    .action(async (_options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await api.get<LogLocation>("/ingestion/log"), describe);
    });

  log
    .command("move")
    .description("move the log; nothing that was acknowledged is lost, and it can be run again after an interruption")
    .addOption(new Option("--to <log>", "where to").choices(["nats", "postgres"]).makeOptionMandatory())
    .option("--abandon", "the stream in NATS is lost: give up the records in it that are not applied")
    .option("--yes", "do not ask first")
    .example("muster log move --org acme --to postgres")
    .action(async ({ to, abandon = false, yes }: MoveFlags, command: Command) => {
      const { api, options, show } = await connect(context, command);
      const whose = `the organization "${options.org ?? "default"}"`;
      const effect = abandon
        ? `Records of ${whose} that are in the stream and not applied are lost for good.`
        : `Senders of ${whose} may have to retry for up to half a minute.`;
      await confirm(context, `${effect} Move its log?`, yes);
      show(await untilMoved(api, { to, abandon }, context), describe);
    });

  log
    .command("renew")
    .description("go on in a new stream, because the stream in NATS has lost its last records; keeps all that is left")
    .option("--all", "every organization whose stream has lost its end")
    .option("--yes", "do not ask first")
    .example("muster log renew --all")
    .action(async ({ all = false, yes }: { all?: boolean; yes?: boolean }, command: Command) => {
      const { api, options, show } = await connect(context, command);
      const whose = all ? "all organizations that are concerned" : `the organization "${options.org ?? "default"}"`;
      await confirm(context, `Senders of ${whose} may have to retry for up to half a minute. Begin new streams?`, yes);
      const renewed = await untilRenewed(api, all, context);
      show(
        renewed,
        () => `Begun a new stream for: ${renewed.map(({ organization }) => organization).join(", ") || "none"}`,
      );
    });
}

async function untilRenewed(api: Api, all: boolean, { progress }: CommandContext): Promise<LogLocation[]> {
  const begun = await api.post<LogLocation[]>("/ingestion/log/renew", { all });
  for (let closing = begun; closing.length > 0; ) {
    const names = closing.map(({ organization }) => organization).join(", ");
    progress(`${names}: waits until nothing is written to the former stream any more`);
    await sleep(LOOK_EVERY_MS);
    const now = all
      ? await api.post<LogLocation[]>("/ingestion/log/renew", { all })
      : [await api.get<LogLocation>("/ingestion/log")];
    closing = now.filter(({ state }) => state === "closing");
  }
  return begun;
}

async function untilMoved(
  api: Api,
  body: { to: LogLocation["log"]; abandon: boolean },
  { progress }: CommandContext,
): Promise<LogLocation> {
  for (;;) {
    const record = await api.post<LogLocation>("/ingestion/log/move", body);
    if (record.log === body.to && record.state === "present") return record;
    progress(
      record.state === "draining"
        ? `${record.waiting_entries} records wait, those of the former log first`
        : "waits until nothing is written to the former log any more",
    );
    await sleep(LOOK_EVERY_MS);
  }
}

function describe({ organization, log, stream, is_truncated, state, waiting_entries }: LogLocation): string {
  return lines({
    organization,
    log,
    ...(stream
      ? { stream: is_truncated ? `${stream}, which has lost its end: run \`muster log renew\`` : stream }
      : {}),
    state,
    "not applied": String(waiting_entries),
  });
}
