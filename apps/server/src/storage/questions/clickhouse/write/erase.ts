import { isId } from "@muster/protocol";
import { inParts } from "../../../../runtime/loops/in-parts.js";
import type { Statements } from "../client/statements.js";
import type { Layout } from "../schema/layout.js";
import { PARTITIONED_TABLES } from "../schema/tables.js";

type PartitionedTable = (typeof PARTITIONED_TABLES)[number];

// The ids of a statement are sent in the URL, which the server accepts up to 1 MB.
const IDS_PER_STATEMENT = 10_000;

const IDS = "{ids:Array(String)}";

/** Events about an account itself have no user. An event that a merge moved has the former user as its origin. */
const ROWS_OF: Record<PartitionedTable, string> = {
  events: `(user_id in ${IDS} or origin_id in ${IDS} or (source = 'platform' and account_id in ${IDS}))`,
  memberships: `entity_id in ${IDS}`,
  users: `id in ${IDS}`,
  accounts: `id in ${IDS}`,
};

/** Whether the versions that hide erased rows stay. Those of events and memberships would tell what a subject did. */
const KEEPS_HIDING: Record<PartitionedTable, boolean> = {
  users: true,
  accounts: true,
  events: false,
  memberships: false,
};

/**
 * Hides the events and memberships of subjects: each row is replaced by a deleted version without content. Inserting
 * takes a few milliseconds, and a deletion up to seconds, which every later change would have to wait for. The rows keep
 * the ids by which `eraseSubjects` finds them. `ids` must include the ids from before merges.
 */
export async function hideEvents(
  statements: Statements,
  organizationId: string,
  ids: readonly string[],
  version: number,
): Promise<void> {
  for (const part of inParts(ids, IDS_PER_STATEMENT)) {
    const params = { org: organizationId, ids: part, version };
    await statements.run(
      `insert into events (org, event, created_at, id, user_id, origin_id, account_id, source, version, is_deleted)
       select org, event, created_at, id, user_id, origin_id, account_id, source, {version:UInt64}, 1
       from events final where org = {org:FixedString(24)} and ${ROWS_OF.events}`,
      params,
    );
    await statements.run(
      `insert into memberships (org, segment_id, entity_id, entered_at, version, is_deleted)
       select org, segment_id, entity_id, entered_at, {version:UInt64}, 1
       from memberships final where org = {org:FixedString(24)} and ${ROWS_OF.memberships}`,
      params,
    );
  }
}

/**
 * Deletes all versions of the rows of subjects, also replaced and hidden ones. `ids` must include the ids from before
 * merges. Versions that hide others are deleted last: a deletion happens part by part, and a row must not become visible
 * again in between. The versions that hide users and accounts stay. They contain nothing but the id, and a writer that was
 * suspended before the erasure may still insert a document, which they hide until the writer has erased it again.
 */
export async function eraseSubjects(
  statements: Statements,
  layout: Layout,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  for (const part of inParts(ids, IDS_PER_STATEMENT)) {
    for (const table of PARTITIONED_TABLES) {
      await deleteRows(statements, layout, table, organizationId, `is_deleted = 0 and ${ROWS_OF[table]}`, part);
      if (KEEPS_HIDING[table]) continue;
      await deleteRows(statements, layout, table, organizationId, ROWS_OF[table], part);
    }
  }
}

/** Deletes all rows of an organization. It has separate partitions, so this is fast for any number of rows. */
export async function dropRows(statements: Statements, layout: Layout, organizationId: string): Promise<void> {
  const { stored, onCluster } = layout;
  for (const table of PARTITIONED_TABLES) {
    await statements.run(`alter table ${stored(table)}${onCluster} drop partition ${partitionOf(organizationId)}`);
  }
}

/** Deletes the progress of an organization. */
export async function dropProgress(statements: Statements, layout: Layout, organizationId: string): Promise<void> {
  await statements.run(
    `delete from ${layout.stored("progress")}${layout.onCluster} where org = {org:FixedString(24)}`,
    { org: organizationId },
  );
}

/** Removes deleted rows from the files of an organization: a deletion only hides them until parts are merged. */
export async function removeDeletedRows(statements: Statements, layout: Layout, organizationId: string): Promise<void> {
  const { stored, onCluster } = layout;
  for (const table of PARTITIONED_TABLES) {
    const action = `apply deleted mask in partition ${partitionOf(organizationId)} settings mutations_sync = 2`;
    await statements.run(`alter table ${stored(table)}${onCluster} ${action}`);
  }
}

/** Deletes only within the partition of the organization: otherwise every part of the table would be read. */
async function deleteRows(
  statements: Statements,
  { stored, onCluster }: Layout,
  table: PartitionedTable,
  organizationId: string,
  condition: string,
  ids: readonly string[],
): Promise<void> {
  await statements.run(
    `delete from ${stored(table)}${onCluster} in partition ${partitionOf(organizationId)} where ${condition}`,
    { ids },
  );
}

/** The name of a partition cannot be a parameter. It is safe in SQL text, because an id has only hex digits. */
function partitionOf(organizationId: string): string {
  if (!isId(organizationId)) throw new Error(`"${organizationId}" is not an id.`);
  return `'${organizationId}'`;
}
