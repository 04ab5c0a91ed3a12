import type { StatementParams } from "@muster/query";
import type { ProjectedEvent } from "../../projection.js";
import type { OrganizationFile } from "../engine/organization-file.js";
import type { FileTransaction } from "../engine/transaction.js";
import { type EventTimes, RUN_COLUMNS, tableName } from "../layout/event-times.js";
import { keyOf, keysOf } from "../layout/keys.js";

/** Notes when the users and accounts of new events had them. */
export async function addTimes(
  { times }: OrganizationFile,
  tx: FileTransaction,
  events: readonly ProjectedEvent[],
): Promise<void> {
  if (times === undefined) return;
  const entries: { owner: string; happened: number }[] = [];
  for (const { user_id, account_id, created_at } of events) {
    const happened = Date.parse(created_at);
    if (user_id) entries.push({ owner: user_id, happened });
    if (account_id) entries.push({ owner: account_id, happened });
  }
  await tx.append(tableName(times.tail.number), RUN_COLUMNS, entries, ({ owner, happened }, row) => {
    row.key(0, owner);
    row.integer(1, happened);
  });
  countInTail(times, tx, entries.length);
}

/**
 * Notes the times of rows that are about to be written again at the end of the table. While older events are unread these may be among
 * them, and only rows before the last unread one are still to be read.
 */
export async function noteMoved(
  { times, databaseName }: OrganizationFile,
  tx: FileTransaction,
  areMoved: (params: StatementParams) => string,
): Promise<void> {
  if (times === undefined || times.isComplete) return;
  const noted = await tx.run(
    (params) => `insert into ${times.tableOf(times.tail)}
      with moved as (select user_key, account_key, created_at from ${databaseName}.events where ${areMoved(params)})
      select distinct owner, happened
      from (select user_key as owner, created_at as happened from moved union all select account_key, created_at from moved)
      where owner is not null`,
  );
  countInTail(times, tx, noted);
}

/** Gives all noted times of some users to others, who get their events. */
export async function passTimes(
  { times }: OrganizationFile,
  tx: FileTransaction,
  passed: readonly { from: string; to: string }[],
): Promise<void> {
  if (times === undefined || passed.length === 0) return;
  const noted = await tx.run((params) => {
    const from = params.addList("integer", keysOf(passed.map((pair) => pair.from)));
    const to = params.addList("integer", keysOf(passed.map((pair) => pair.to)));
    return `insert into ${times.tableOf(times.tail)}
      select distinct new_owner, happened
      from (select unnest(${from}) as old_owner, unnest(${to}) as new_owner) join (${times.entries("true")}) on owner = old_owner`;
  });
  countInTail(times, tx, noted);
}

/** A tail that has enough entries is sorted. */
function countInTail(times: EventTimes, tx: FileTransaction, written: number): void {
  const { tail } = times;
  tx.onCommit(() => {
    tail.entries += written;
  });
}

/**
 * Removes the times of erased subjects, and those of their accounts at which only they had an event. `areErased` is the condition for their
 * events. Must run before the events are deleted.
 */
export async function eraseTimes(
  { times, databaseName }: OrganizationFile,
  tx: FileTransaction,
  ids: readonly string[],
  areErased: (params: StatementParams) => string,
): Promise<void> {
  if (times === undefined) return;
  times.erasures += 1;
  tx.onCommit(() => {
    times.erasures += 1;
  });
  const events = `${databaseName}.events`;
  await tx.run(
    (params) => `create or replace temp table erased_times as
      select distinct account_key as owner, created_at as happened from ${events}
      where account_key is not null and ${areErased(params)}`,
  );
  await tx.run(
    (params) => `delete from erased_times where (owner, happened) in (
        select account_key, created_at from ${events}
        where created_at in (select happened from erased_times) and not coalesce(${areErased(params)}, false)
      )`,
  );
  for (const run of times.runs) {
    const table = times.tableOf(run);
    tx.deleteKeys(tableName(run.number), "owner", ids.map(keyOf));
    tx.runLater(`delete from ${table} where (owner, happened) in (select owner, happened from erased_times)`);
  }
  tx.runLater("drop table erased_times");
}
