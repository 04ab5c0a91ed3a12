import { organizationsProjected } from "../storage/postgres/changes/changes.js";
import { organizationsToRebuild } from "../storage/postgres/changes/rebuilds.js";
import { organizationsToCompute } from "../storage/postgres/computed/fill-progress.js";
import type { Database } from "../storage/postgres/database.js";
import { organizationsWithWork } from "../storage/postgres/ingest/apply-cursors.js";
import { organizationsToSweep } from "../storage/postgres/segments/segments.js";
import type { Questions } from "../storage/questions/questions.js";
import { COMPUTE_PERIODS } from "./compute/fills.js";
import { SWEEP_PERIODS } from "./evaluate/sweeps.js";

/** The ids of organizations that have work waiting, by the kind of work. */
export interface WaitingWork {
  apply: string[];
  relay: string[];
  rebuild: string[];
  sweep: string[];
}

/** Finds work in the database that this process was not woken for: another process left it, or it has become due. */
export async function findWork(database: Database): Promise<WaitingWork> {
  const { apply, project: relay } = await organizationsWithWork(database);
  const rebuild = await organizationsToRebuild(database);
  const now = new Date();
  const sweep = await organizationsToSweep(database, now, SWEEP_PERIODS);
  const compute = await organizationsToCompute(database, now, COMPUTE_PERIODS);
  return { apply, relay, rebuild, sweep: [...new Set([...sweep, ...compute])] };
}

/**
 * Finds organizations whose data the question engine has lost. They may have no other work for a long time.
 */
export async function findMissing(database: Database, questions: Questions): Promise<string[]> {
  const held = new Set(await questions.organizations());
  return (await organizationsProjected(database)).filter((organizationId) => !held.has(organizationId));
}
