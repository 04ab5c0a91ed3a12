import { type MessageReport, MINUTE_MS } from "@muster/protocol";
import type { LaterReportsTaken } from "@muster/protocol/api/deliveries";
import type { Connector } from "../../domain/connectors/connector.js";
import { SecretRedactor } from "../../domain/connectors/secret-redactor.js";
import { causeOf } from "../../domain/delivery/cause-of.js";
import { isTestMessage } from "../../domain/delivery/message.js";
import { type MessageResult, resultOf } from "../../domain/delivery/message-result.js";
import { readReport } from "../../domain/delivery/reported-results.js";
import type { Database, Transaction } from "../../storage/postgres/database.js";
import { countCause } from "../../storage/postgres/delivery/delivery-causes.js";
import { moveCounts, type ResultCount } from "../../storage/postgres/delivery/delivery-minutes.js";
import { countLaterResults } from "../../storage/postgres/delivery/delivery-states.js";
import { type SettledTrace, settleTraces } from "../../storage/postgres/delivery/traces.js";
import type { DeliveryTraces } from "./delivery-traces.js";

export interface LaterReportsOptions {
  database: Database;
  traces: Pick<DeliveryTraces, "written">;
}

/**
 * Stores results that connectors report after their answer, for messages that they tried again themselves or had not mentioned.
 * The note about the message changes, and it is counted under its new result.
 */
export class LaterReports {
  readonly #database: Database;
  readonly #traces: Pick<DeliveryTraces, "written">;

  constructor({ database, traces }: LaterReportsOptions) {
    this.#database = database;
    this.#traces = traces;
  }

  async take(connector: Connector, given: readonly MessageReport[]): Promise<LaterReportsTaken> {
    const { organizationId, id } = connector;
    const redactor = new SecretRedactor(connector);
    const results = new Map<string, MessageResult>();
    for (const each of given) {
      const report = readReport(each, (text) => redactor.text(text));
      if (report) results.set(report.message_id, resultOf(report, null));
    }
    // A connector can be done a moment after its answer, when the note about the message is not written yet.
    await this.#traces.written();
    const settled = await this.#database.transaction(async (tx) => {
      const found = await settleTraces(tx, organizationId, id, [...results].map(laterResult));
      const counted = found.filter(({ messageId }) => !isTestMessage(messageId));
      await count(tx, connector, counted);
      await countCauses(tx, connector, counted, results);
      return found;
    });
    const known = new Set(settled.map(({ messageId }) => messageId));
    const asked = new Set(given.map(({ message_id }) => message_id));
    return { settled: known.size, ignored: [...asked].filter((messageId) => !known.has(messageId)) };
  }
}

function laterResult([messageId, { kind, answer, reason }]: [string, MessageResult]) {
  const body = kind === "delivered" ? "" : (answer?.body ?? "");
  return { messageId, result: kind, status: answer?.status ?? 0, reason, body };
}

/** Counts the messages under their new results, in the minutes of their calls. */
async function count(tx: Transaction, { organizationId, id }: Connector, settled: readonly SettledTrace[]) {
  const groups = new Map<string, { from: ResultCount; to: ResultCount; since: Date; messages: number }>();
  for (const { sentAt, before, result } of settled) {
    if (before === result) continue;
    const key = `${before} ${result} ${Math.floor(sentAt.getTime() / MINUTE_MS)}`;
    const group = groups.get(key) ?? { from: countOf(before), to: countOf(result), since: sentAt, messages: 0 };
    group.messages += 1;
    groups.set(key, group);
  }
  // In the order of their minutes, as every such report locks them.
  const ordered = [...groups.values()].sort((one, other) => one.since.getTime() - other.since.getTime());
  for (const group of ordered) await moveCounts(tx, organizationId, id, group);
  const numberOf = (kind: ResultCount) => settled.filter(({ result }) => result === kind).length;
  await countLaterResults(tx, organizationId, id, { delivered: numberOf("delivered"), refused: numberOf("refused") });
}

/** The causes of refusals are those of calls: people look for both in one list. */
async function countCauses(
  tx: Transaction,
  { organizationId, id }: Connector,
  settled: readonly SettledTrace[],
  results: ReadonlyMap<string, MessageResult>,
): Promise<void> {
  const causes = new Map<string, { status: number; messages: number }>();
  for (const { messageId, result } of settled) {
    const found = results.get(messageId);
    if (result !== "refused" || !found) continue;
    const cause = causeOf(found);
    causes.set(cause, { status: found.answer?.status ?? 0, messages: (causes.get(cause)?.messages ?? 0) + 1 });
  }
  const ordered = [...causes].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [cause, counted] of ordered) await countCause(tx, organizationId, id, { cause, calls: 0, ...counted });
}

function countOf(result: SettledTrace["result"]): ResultCount {
  switch (result) {
    case "delivered":
    case "refused":
    case "skipped":
    case "retried":
    case "unreported":
      return result;
    default:
      throw new Error(`A message that is "${result}" is still in the queue.`);
  }
}
