import type { StatementParams } from "@muster/query";
import type { RenamedEvents, UnmergedSubjects } from "../../../../domain/changes/change-set.js";
import type { EventKey } from "../../../../domain/events/stored-event.js";
import { docRenames } from "../../doc-renames.js";
import type { ProjectedEvent } from "../../projection.js";
import { saveSeen } from "../engine/event-properties.js";
import type { OrganizationFile } from "../engine/organization-file.js";
import type { FileTransaction } from "../engine/transaction.js";
import { keyOf, keysOf } from "../layout/keys.js";
import { addTimes, eraseTimes, noteMoved, passTimes } from "../times/write-times.js";
import { eventWriter } from "./write-event.js";

/** Writes events. An event replaces an earlier one with the same id. */
export async function writeEvents(
  file: OrganizationFile,
  tx: FileTransaction,
  events: readonly ProjectedEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const latest = [...new Map(events.map((event) => [event.id, event])).values()];
  const recent = await file.recentEvents();
  const keys = latest.map(({ id, created_at }) => ({ id, createdAt: Date.parse(created_at) }));
  removeEvents(
    tx,
    keys.filter(({ id, createdAt }) => recent.mayHave(id, createdAt)),
  );
  for (const { id, createdAt } of keys) recent.add(id, createdAt);
  await tx.append("events", file.events.columns, latest, eventWriter(file.events));
  await addTimes(file, tx, latest);
  saveSeen(file, tx);
}

/**
 * Deletes event rows. Rows with equal ids have equal times, and events arrive mostly in the order of their time. So with a
 * condition on the time, the engine reads only the latest rows.
 */
export function removeEvents(tx: FileTransaction, events: readonly Pick<EventKey, "id" | "createdAt">[]): void {
  if (events.length === 0) return;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { createdAt } of events) {
    first = Math.min(first, createdAt);
    last = Math.max(last, createdAt);
  }
  const keys = keysOf(events.map(({ id }) => id));
  tx.deleteKeys("events", "key", keys, `created_at between ${first} and ${last}`);
}

/** Moves the events of merged users to their survivors. */
export async function moveEvents(
  file: OrganizationFile,
  tx: FileTransaction,
  moves: readonly { loser: string; survivor: string }[],
): Promise<void> {
  if (moves.length === 0) return;
  const losers = moves.map(({ loser }) => loser);
  const survivors = moves.map(({ survivor }) => survivor);
  await rewriteRows(file, tx, {
    where: (params) => `user_key in (select unnest(${params.addList("integer", keysOf(losers))}))`,
    join: (params) => {
      const list = (name: string, sql: string) => `unnest(${sql}) as ${name}`;
      const pairs = [
        list("loser_key", params.addList("integer", keysOf(losers))),
        list("loser_id", params.addList("id", losers)),
        list("survivor_key", params.addList("integer", survivors.map(keyOf))),
        list("survivor_id", params.addList("id", survivors)),
      ];
      return `join (select ${pairs.join(", ")}) on user_key = loser_key`;
    },
    changed: () => ({
      user_key: "survivor_key",
      user_id: "survivor_id",
      // Only the first occurrence is the field of the event. A property may have the same name and value.
      doc: `regexp_replace(doc, '"user_id":"' || loser_id || '"', '"user_id":"' || survivor_id || '"')`,
    }),
    passed: moves.map(({ loser, survivor }) => ({ from: loser, to: survivor })),
  });
}

/** Gives the events of a user whose merge is undone back to it, by their origin. */
export async function returnEvents(
  file: OrganizationFile,
  tx: FileTransaction,
  { kind, survivor, restored, origins }: UnmergedSubjects,
): Promise<void> {
  if (kind !== "user") return;
  await rewriteRows(file, tx, {
    where: (params) => {
      const among = `in (select unnest(${params.addList("integer", keysOf(origins))}))`;
      return `user_key = ${params.add("integer", keyOf(survivor))} and origin_key ${among}`;
    },
    changed: (params) => ({
      user_key: params.add("integer", keyOf(restored)),
      user_id: params.add("id", restored),
      // Only the first occurrence is the field of the event.
      doc: `regexp_replace(doc, ${params.add("text", `"user_id":"${survivor}"`)}, ${params.add("text", `"user_id":"${restored}"`)})`,
    }),
    passed: [{ from: survivor, to: restored }],
  });
}

/** Gives events with a name another one. */
export async function renameEvents(file: OrganizationFile, tx: FileTransaction, names: RenamedEvents): Promise<void> {
  const { from, into } = names;
  // Rows that a rule writes have the new name, so no other rule finds them.
  for (const { old, renamed, unlessFollowedBy } of docRenames(names)) {
    await rewriteRows(file, tx, {
      where: (params) => {
        const [event, text] = [params.add("text", `"event":${JSON.stringify(from)}`), params.add("text", old)];
        const next = unlessFollowedBy && params.add("text", unlessFollowedBy);
        // Only the first occurrence is the field of the event. A property may have the same name and value.
        const place = `strpos(doc, ${event})`;
        const isOther = next ? ` and not starts_with(substr(doc, ${place} + length(${text})), ${next})` : "";
        return `event = ${params.add("text", from)} and starts_with(substr(doc, ${place}), ${text})${isOther}`;
      },
      changed: (params) => {
        const text = params.add("text", old);
        return {
          event: params.add("text", into),
          doc: `left(doc, strpos(doc, ${text}) - 1) || ${params.add("text", renamed)} || substr(doc, strpos(doc, ${text}) + length(${text}))`,
        };
      },
    });
  }
}

interface Rewriting {
  where(params: StatementParams): string;
  /** Further columns for `changed`. */
  join?(params: StatementParams): string;
  /** The new values of columns. */
  changed(params: StatementParams): Readonly<Record<string, string>>;
  /** Whose events these are and who gets them, if that changes. */
  passed?: readonly { from: string; to: string }[];
}

/** Writes rows with other values at the end of the table and deletes the old ones. No other function moves events. */
async function rewriteRows(file: OrganizationFile, tx: FileTransaction, rewriting: Rewriting): Promise<void> {
  const { where, join = () => "", changed, passed = [] } = rewriting;
  await noteMoved(file, tx, where);
  await passTimes(file, tx, passed);
  const events = `${tx.databaseName}.events`;
  await tx.run((params) => {
    const values = changed(params);
    const selected = file.events.columns.map(({ name }) => values[name] ?? name).join(", ");
    return `insert into ${events} select ${selected} from ${events} ${join(params)} where ${where(params)}`;
  });
  await tx.run((params) => `delete from ${events} where ${where(params)}`);
}

/** Deletes the events of subjects, by their present or original user. Events about an account itself have no user. */
export async function eraseEvents(file: OrganizationFile, tx: FileTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const areErased = (params: StatementParams) => {
    const among = `in (select unnest(${params.addList("integer", keysOf(ids))}))`;
    return `(user_key ${among} or origin_key ${among} or (source = 'platform' and account_key ${among}))`;
  };
  await eraseTimes(file, tx, ids, areErased);
  await tx.run((params) => `delete from ${tx.databaseName}.events where ${areErased(params)}`);
}
