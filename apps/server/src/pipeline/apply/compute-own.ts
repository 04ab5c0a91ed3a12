import { loadComputed } from "../../audience/computed/known-computed.js";
import { computeOwnValues, type OnProblem } from "../../domain/computed/own-values.js";
import type { Roster } from "../../domain/identity/roster.js";
import { Breather } from "../../runtime/loops/breather.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import type { Transaction } from "../../storage/postgres/database.js";

/**
 * Computes what follows from the changed values of each subject alone: formulas are never behind the attributes that they
 * read. An organization without computed attributes has no `revision`, and costs nothing.
 */
export async function computeOwn(
  tx: Transaction,
  organizationId: string,
  { users, accounts }: { users: Roster; accounts: Roster },
  { revision, metrics }: { revision: string | null; metrics: Pick<Metrics, "formulaProblems"> },
): Promise<void> {
  if (revision === null) return;
  const { own } = await loadComputed(tx, organizationId, revision);
  const now = Date.now();
  const onProblem: OnProblem = (reason) => metrics.formulaProblems.inc({ reason });
  const breather = new Breather();
  const computing = { now, onProblem, breathe: () => (breather.isDue ? breather.pause() : undefined) };
  await computeOwnValues(users, own.user, computing);
  await computeOwnValues(accounts, own.account, computing);
}
