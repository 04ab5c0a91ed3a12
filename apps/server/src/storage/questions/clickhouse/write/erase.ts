import { isId } from "@muster/protocol";
import { inParts } from "../client/in-parts.js";
import type { Statements } from "../client/statements.js";
import type { Layout } from "../schema/layout.js";
import { PARTITIONED_TABLES } from "../schema/tables.js";

// The ids of a deletion travel in an address, which the server takes up to 1 MB of.
const IDS_PER_DELETION = 10_000;

/**
 * Erases the events and memberships of subjects, whose former ids must be among `ids`: a row that a merge moved has an
 * older version under the former id, which would come to light again. An account's own events have no user.
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

/** Takes every version of the documents of subjects away, also those that later ones have replaced. */
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

/** Takes away every row of an organization. Each has partitions of its own, so this is quick however much it is. */
export async function dropRows(statements: Statements, layout: Layout, organizationId: string): Promise<void> {
  const { stored, onCluster } = layout;
  for (const table of PARTITIONED_TABLES) {
    await statements.run(`alter table ${stored(table)}${onCluster} drop partition ${partitionOf(organizationId)}`);
  }
}

/** Forgets how far an organization has come. */
export async function dropProgress(statements: Statements, layout: Layout, organizationId: string): Promise<void> {
  await statements.run(
    `delete from ${layout.stored("progress")}${layout.onCluster} where org = {org:FixedString(24)}`,
    { org: organizationId },
  );
}

/** Within the partition of the organization: elsewhere every part of the table would be looked at. */
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

/** The name of a partition cannot be a parameter; the id is one of ours and nothing but hex digits. */
function partitionOf(organizationId: string): string {
  if (!isId(organizationId)) throw new Error(`"${organizationId}" is no id.`);
  return `'${organizationId}'`;
}
