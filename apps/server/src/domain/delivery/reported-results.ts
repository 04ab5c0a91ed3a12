import { firstBytes, isObject, MAX_REPORTED_BODY_BYTES, type MessageReport, REPORTED_RESULTS } from "@muster/protocol";

/** What a connector has told about messages, by their ids. */
export interface ReportedResults {
  byId: ReadonlyMap<string, MessageReport>;
  /** How many of the reports name no message of the call, or no result that is known. They are ignored. */
  unusable: number;
}

const LONGEST_REASON_BYTES = 500;
const NUL = /\0/g;

/**
 * The reports in a connector's answer about messages with these ids; undefined when it has none. The last report about a
 * message counts. `redact` takes secrets out of the texts of the connector.
 */
export function readReportedResults(
  answer: unknown,
  ids: ReadonlySet<string>,
  redact: (text: string) => string,
): ReportedResults | undefined {
  const given = isObject(answer) ? answer.results : undefined;
  if (!Array.isArray(given) || given.length === 0) return undefined;
  const byId = new Map<string, MessageReport>();
  let unusable = 0;
  for (const each of given as unknown[]) {
    const report = readReport(each, redact);
    if (report && ids.has(report.message_id)) byId.set(report.message_id, report);
    else unusable += 1;
  }
  return { byId, unusable };
}

/** One report, with its texts cut; undefined when it has no id, or no result that is known. */
export function readReport(given: unknown, redact: (text: string) => string): MessageReport | undefined {
  if (!isObject(given) || typeof given.message_id !== "string") return undefined;
  const result = REPORTED_RESULTS.find((known) => known === given.result);
  if (!result) return undefined;
  const status = Number(given.status);
  const body = textOf(given.body, MAX_REPORTED_BODY_BYTES, redact);
  const reason = textOf(given.reason, LONGEST_REASON_BYTES, redact);
  return {
    message_id: given.message_id,
    result,
    ...(Number.isInteger(status) && status >= 100 && status <= 999 ? { status } : {}),
    ...(body === "" ? {} : { body }),
    ...(reason === "" ? {} : { reason }),
  };
}

/** Many connectors have the answer of their service as JSON already. */
function textOf(given: unknown, maxBytes: number, redact: (text: string) => string): string {
  const text = typeof given === "string" ? given : isObject(given) || Array.isArray(given) ? JSON.stringify(given) : "";
  // PostgreSQL stores no NUL.
  return firstBytes(redact(text).trim().replace(NUL, "\ufffd"), maxBytes);
}
