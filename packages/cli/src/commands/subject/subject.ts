import { setTimeout as sleep } from "node:timers/promises";
import { type SubjectType, typeOfId } from "@muster/protocol";
import type { Erasure } from "@muster/protocol/api/erasures";
import type { JoinedSegment } from "@muster/protocol/api/segments";
import type { Removed, Report } from "@muster/protocol/api/subjects";
import { type Command, Option } from "commander";
import { type Api, RefusedRequest } from "../../api.js";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findSubject } from "../../find/find-subject.js";
import { confirm } from "../../input/confirm.js";
import { readPast } from "../../input/option-values.js";
import { lines, table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { valueText } from "../../output/value-text.js";
import { readList } from "../../read-list.js";

const LOOK_EVERY_MS = 500;

/** The options that say which user or account is meant. */
export function byOption(subjectType: SubjectType): Option {
  const first = subjectType === "user" ? "email" : "domain";
  return new Option("--by <identifier>", "which identifier the argument is, if it could be several").choices([
    "id",
    first,
    "external_id",
    "anonymous_id",
  ]);
}

/** Adds the commands that users and accounts have in common. */
export function addShowAndErase(group: DocumentedCommand, subjectType: SubjectType, context: CommandContext): void {
  const known = subjectType === "user" ? "ada@example.com" : "example.com";
  group
    .command(`show <${subjectType}>`)
    .description(
      `show everything that is known about ${subjectType === "user" ? "a user" : "an account"}, and the segments it is in`,
    )
    .addOption(byOption(subjectType))
    .option("--at <time>", "what was known then: a date, a time, or how long ago, like 7d", readPast)
    .example(`muster ${subjectType} show ${known}`)
    .example(`muster ${subjectType} show ${known} --at 7d`)
    .action(async (given: string, { by, at }: { by?: string; at?: string }, command: Command) => {
      const { api, show } = await connect(context, command);
      if (at !== undefined) {
        const past = await readPastReport(api, subjectType, { given, by, at });
        show(past, () => describePast(past, context.width));
        return;
      }
      const report = await findSubject(api, subjectType, given, by);
      const segments = await readList<JoinedSegment>(api, `/${report.id}/segments`);
      show({ ...report, segments }, () => describe(report, segments, context.width));
    });

  group
    .command(`erase <${subjectType}>`)
    .description(
      `erase ${subjectType === "user" ? "a user" : "an account"} with all events and history, and print the receipt`,
    )
    .addOption(byOption(subjectType))
    .option("--wait", "wait until logs, queues and files are clean too")
    .option("--yes", "do not ask first")
    .example(`muster ${subjectType} erase ${known} --wait`)
    .action(
      async (given: string, { by, wait, yes }: { by?: string; wait?: boolean; yes?: boolean }, command: Command) => {
        const { api, show } = await connect(context, command);
        const { id } = await findSubject(api, subjectType, given, by);
        await confirm(
          context,
          `The ${subjectType} ${given} (${id}) is erased for good, with everything about it. Erase?`,
          yes,
        );
        const erased = await api.delete<Removed>(`/${id}`);
        if (wait) erased.receipt = await waitForCleaning(api, erased.id, context);
        show(erased, describeErasure);
      },
    );
}

async function waitForCleaning(api: Api, id: string, context: CommandContext): Promise<Erasure> {
  for (;;) {
    // There is no receipt until the erasure is applied.
    const receipt = await api.get<Erasure>(`/erasures/${id}`).catch((error: unknown) => {
      if (error instanceof RefusedRequest && error.status === 404) return undefined;
      throw error;
    });
    if (receipt?.status === "complete") return receipt;
    context.progress("cleaning logs, queues and files");
    await sleep(LOOK_EVERY_MS, undefined, { signal: context.signal });
  }
}

function describeErasure({ id, receipt }: Removed): string {
  if (!receipt) return lines({ erased: id, receipt: id, status: "accepted, applied soon" });
  const removed = Object.entries(receipt.removed)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count.toLocaleString("en")} ${kind}`);
  return [
    lines({ erased: id, receipt: receipt.id, status: receipt.status, removed: removed.join(", ") || "-" }),
    table(
      ["COPIES IN", "GONE BY", "NOTE"],
      receipt.copies.map(({ where, gone_by, note }) => [where, timeText(gone_by), note ?? ""]),
    ),
    ...(receipt.left.length === 0
      ? []
      : [
          table(
            ["LEFT FOR YOU", "ID", "ON", "WHY"],
            receipt.left.map(({ kind, id: writing, object_id, why }) => [kind, writing, object_id ?? "", why]),
          ),
        ]),
  ].join("\n\n");
}

function describe(
  { account, segment_ids: _ids, ...report }: Report,
  segments: JoinedSegment[],
  width: number | undefined,
) {
  const { segment_ids: _accountIds, ...accountReport } = (account ?? {}) as Record<string, unknown>;
  return [
    table(["FIELD", "VALUE"], [...fieldRows(report, ""), ...fieldRows(accountReport, "account.")]),
    segments.length === 0
      ? "In no segment."
      : table(
          ["SEGMENT", "NAME", "SINCE"],
          segments.map(({ id, name, entered_at }) => [id, name, timeText(entered_at)]),
          width,
        ),
  ].join("\n\n");
}

/** The report as it was. The id of one that was merged since shows it as it was before. */
async function readPastReport(
  api: Api,
  subjectType: SubjectType,
  { given, by, at }: { given: string; by: string | undefined; at: string },
): Promise<Report> {
  const isGivenId = (by === undefined || by === "id") && typeOfId(given) === subjectType;
  const id = isGivenId ? given : (await findSubject(api, subjectType, given, by)).id;
  return api.get<Report>(`/${id}/${subjectType}_report?at=${at}`);
}

function describePast({ account, segment_ids: ids, ...report }: Report, width: number | undefined): string {
  const { segment_ids: _accountIds, ...accountReport } = (account ?? {}) as Record<string, unknown>;
  const segmentIds = ids as string[];
  return [
    table(["FIELD", "VALUE"], [...fieldRows(report, ""), ...fieldRows(accountReport, "account.")], width),
    segmentIds.length === 0 ? "It was in no segment." : `It was in the segments ${segmentIds.join(", ")}.`,
  ].join("\n\n");
}

function fieldRows(report: Record<string, unknown>, prefix: string): string[][] {
  return Object.entries(report)
    .map(([name, value]) => [`${prefix}${name}`, valueText(value)])
    .filter(([, text]) => text !== "" && text !== "[]");
}
