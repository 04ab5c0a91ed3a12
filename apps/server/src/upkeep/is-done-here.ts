import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";

const ROLE = "jobs";

/** Whether this process does a piece of upkeep. One of the processes that have the role for it does. */
export async function isDoneHere(leases: WorkLeases, work: string): Promise<boolean> {
  if (leases.isMine(ROLE, work)) return (await leases.take(work)) !== undefined;
  await leases.release(work);
  return false;
}
