import type { SyncMode } from "../package/definition.js";

/** The field in which the package looks for the sync mode of a mapping: whether it adds, updates or removes. */
export const SYNC_MODE = "__segment_internal_sync_mode";

const MIRROR = "mirror";

/**
 * The sync mode until somebody chooses another one. Muster tells of users who enter a segment and of users who leave it: with a mode
 * that only adds, some actions add those who leave too. So both are followed where an action can do that.
 */
export function startingSyncMode({ choices, default: usual }: SyncMode): string {
  return choices.some(({ value }) => value === MIRROR) ? MIRROR : usual;
}
