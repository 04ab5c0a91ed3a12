import type { Context, StatusAnswer } from "@muster/connector";
import { SETTING } from "../manifest/setting-names.js";
import { mappingProblems } from "../mapping/mapping-problems.js";
import { readMappings } from "../mapping/read-mappings.js";
import type { DestinationRecord } from "../record/destination-record.js";
import type { Account } from "../thread/calls.js";
import { DestinationStopped } from "../thread/destination-threads.js";
import type { DestinationHost } from "./destination-host.js";
import { accountSoFar, missingSettings } from "./read-account.js";

/** Whether the credentials work, somebody is sent, and the mappings fit the destination as it is now. */
export async function statusOf(
  { connector }: Context,
  host: DestinationHost,
  record: DestinationRecord,
): Promise<StatusAnswer> {
  const missing = missingSettings(connector, record);
  if (missing.length > 0)
    return { status: "setupRequired", messages: [`Give these settings first: ${missing.join(", ")}.`] };
  const account = accountSoFar(connector, record);
  if (record.canTest) {
    const problem = await problemOf(host, record, account);
    if (problem !== undefined) return { status: "error", messages: [problem] };
  }
  const { private_settings: stored } = connector;
  const mappings = readMappings(stored[SETTING.mappings]).filter(({ enabled }) => enabled);
  const warnings = mappings.flatMap((mapping) => mappingProblems(mapping, record));
  if (mappings.length === 0) warnings.unshift("No mapping is switched on, so nothing is sent.");
  const chosen = [stored[SETTING.segments], stored[SETTING.accountSegments]].flat();
  if (!chosen.some((entry) => typeof entry === "string" && entry !== ""))
    warnings.unshift("No segment is chosen, so nobody is sent.");
  return warnings.length > 0 ? { status: "warning", messages: warnings } : { status: "ok", messages: [] };
}

/** Why the service does not take the credentials; undefined when it does. */
async function problemOf(
  host: DestinationHost,
  record: DestinationRecord,
  account: Account,
): Promise<string | undefined> {
  try {
    return (await host.threads.call(record.name, "testAuthentication", { account })).problem;
  } catch (error) {
    if (error instanceof DestinationStopped) return error.message;
    throw error;
  }
}
