import { setTimeout as sleep } from "node:timers/promises";
import { LOG_LEVELS, type LogLevel, type LogLine } from "@muster/protocol/api/connector-logs";
import { type Command, Option } from "commander";
import type { Api } from "../../api.js";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findConnector } from "../../find/find-connector.js";
import { readCount } from "../../input/option-values.js";
import { printableCell, printableJson } from "../../output/printable.js";
import { readList } from "../../read-list.js";

interface LogFlags {
  follow?: boolean;
  level?: LogLevel;
  limit: number;
}

const LOOK_EVERY_MS = 1_000;
// The most lines that one poll reads. If more arrive between two polls, the oldest of them are not shown.
const FOLLOWED_LINES = 1_000;

export function addLogs(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("logs <id>")
    .description(
      "show what a connector logged, the latest at the end; with --json each line is a JSON document (NDJSON)",
    )
    .option("-f, --follow", "keep showing new lines until stopped")
    .addOption(new Option("--level <level>", "only lines of this level").choices(LOG_LEVELS))
    .option("--limit <count>", "how many lines to begin with", readCount, 50)
    .example("muster connector logs Mailer --follow --level error")
    .action(async (id: string, { follow, level, limit }: LogFlags, command: Command) => {
      const { api, options } = await connect(context, command);
      const found = await findConnector(api, id);
      const path = `/${found.id}/logs${level === undefined ? "" : `?level=${level}`}`;
      const write = (line: LogLine) => (options.json ? context.printJson(line) : context.print(describe(line)));
      const first = await readList<LogLine>(api, path, limit);
      for (const line of first.toReversed()) write(line);
      if (follow) await followLogs(api, path, first, write, context.signal);
      else if (first.length === 0 && !options.json) context.warn(`"${found.name}" has logged nothing.`);
    });
}

async function followLogs(
  api: Api,
  path: string,
  shown: LogLine[],
  write: (line: LogLine) => void,
  signal: AbortSignal,
): Promise<void> {
  let known = shown;
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const latest = await readList<LogLine>(api, path, FOLLOWED_LINES);
    for (const line of newLines(known, latest).toReversed()) write(line);
    known = latest;
  }
}

/** The lines that are not in `known`. Both lists begin with the latest line. Lines have no id, so equal lines are counted. */
export function newLines<Line extends { at: string }>(known: readonly Line[], latest: readonly Line[]): Line[] {
  const newest = known[0]?.at ?? "";
  const counts = new Map<string, number>();
  for (const line of known.filter(({ at }) => at === newest)) {
    const key = JSON.stringify(line);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return latest.filter((line) => {
    if (line.at !== newest) return line.at > newest;
    const key = JSON.stringify(line);
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    return count <= 0;
  });
}

function describe({ at, level, message, data, summary }: LogLine): string {
  const details = Object.keys(data).length === 0 ? "" : `  ${printableJson(data)}`;
  const note = summary === "" || summary === message ? "" : `  (${printableCell(summary)})`;
  return `${at}  ${level.padEnd(5)}  ${printableCell(message)}${note}${details}`;
}
