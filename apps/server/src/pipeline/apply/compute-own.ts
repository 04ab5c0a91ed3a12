import { loadComputed } from "../../audience/computed/known-computed.js";
import { computeOwnValues } from "../../domain/computed/own-values.js";
import type { Roster } from "../../domain/identity/roster.js";
import type { Transaction } from "../../storage/postgres/database.js";

/**
 * Computes what follows from the changed values of each subject alone: formulas are never behind the attributes that they
 * read. An organization without computed attributes has no `revision`, and costs nothing.
 */
export async function computeOwn(
  tx: Transaction,
  organizationId: string,
  { users, accounts }: { users: Roster; accounts: Roster },
  revision: string | null,
): Promise<void> {
  if (revision === null) return;
  const { own } = await loadComputed(tx, organizationId, revision);
  const now = Date.now();
  computeOwnValues(users, own.user, now);
  computeOwnValues(accounts, own.account, now);
}
