import type { ClaimedIdentifier } from "./identifiers.js";

/** Why two profiles were merged: a record of this time and source named an identifier that the loser had. */
export interface MergeCause extends ClaimedIdentifier {
  at?: number;
  source?: string;
}

/** The record that names identifiers. */
export interface NamingRecord {
  at?: number;
  /** Who sent it: the same text as in the cells of attributes. */
  source?: string;
  /**
   * The record is by an end user. Its anonymous id and other weak identifiers then reach no other identified
   * profile, because an attacker could have found out or guessed them.
   */
  byEndUser?: boolean;
}

export function causeOf(identifier: ClaimedIdentifier, { at, source }: NamingRecord): MergeCause {
  return { ...identifier, ...(at === undefined ? {} : { at }), ...(source === undefined ? {} : { source }) };
}
