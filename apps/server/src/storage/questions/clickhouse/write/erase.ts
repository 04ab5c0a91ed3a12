import { isId } from "@muster/protocol";
import { inParts } from "../client/in-parts.js";
import type { Statements } from "../client/statements.js";
import type { Layout } from "../schema/layout.js";
import { PARTITIONED_TABLES } from "../schema/tables.js";

// The ids of a deletion are sent in the URL, which the server accepts up to 1 MB.
const IDS_PER_DELETION = 10_000;

/**
 * Erases the events and memberships of subjects. `ids` must include the ids from before merges: an event that a merge
 * moved has an older version with the former id, which would otherwise become visible again. Events about an account
 * itself have no user.
 */
export async function eraseEvents(
  statements: Statements,
  layout: Layout,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  const erased = "{ids:Array(String)}";
  const events = `user_id in ${erased} or origin_id in ${erased} or (source = 'platform' and account_id in ${erased})`;
  for (const part of inParts(ids, IDS_PER_DELETION)) {
    await deleteRows(statements, layout, "events", organizationId, `(${events})`, part);
    await deleteRows(statements, layout, "memberships", organizationId, `entity_id in ${erased}`, part);
  }
}

/** Deletes all versions of the documents of subjects, including replaced ones. */
export async function eraseDocuments(
  statements: Statements,
  layout: Layout,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  for (const part of inParts(ids, IDS_PER_DELETION)) {
    await deleteRows(statements, layout, "users", organizationId, "id in {ids:Array(String)}", part);
    await deleteRows(statements, layout, "accounts", organizationId, "id in {ids:Array(String)}", part);
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
  table: (typeof PARTITIONED_TABLES)[number],
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
