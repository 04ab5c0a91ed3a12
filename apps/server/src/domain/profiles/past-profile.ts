import type { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import type { AttributeValue } from "../attributes/attribute-values.js";
import type { AttributeChange } from "./attribute-history.js";
import type { Cell, Profile } from "./profile.js";

/** What the history of a profile says about a moment. */
export interface PastValues {
  /** The values that attributes had at that moment, for those that have changed since. */
  since: ReadonlyMap<string, AttributeValue>;
  /** The last change of attributes up to that moment, for those whose last change is known. */
  before: ReadonlyMap<string, AttributeChange>;
}

export interface PastProfile {
  profile: Profile;
  /** The attributes whose value came with the profile, or before their changes were kept: nobody knows who wrote it. */
  ofUnknownOrigin: ReadonlySet<string>;
}

const ACCOUNT = "account_id";

/** The attributes whose present value says nothing about who wrote the one at that moment. */
export function attributesToLookUp(profile: Profile, at: number, { since }: Pick<PastValues, "since">): Set<string> {
  const rewritten = [...profile.cells].filter(([, { written }]) => written.at > at).map(([name]) => name);
  return new Set([...since.keys(), ...rewritten]);
}

/**
 * The profile as it was at a moment, as far as changes are kept. Left out are attributes whose changes are not tracked,
 * identifiers, sessions and the times at which it was seen: their former values are not known.
 */
export function pastProfile(
  present: Profile,
  at: number,
  { since, before }: PastValues,
  definitions: Pick<AttributeDefinitions, "get">,
): PastProfile {
  const cells = new Map<string, Cell>();
  const ofUnknownOrigin = new Set<string>();
  for (const name of new Set([...present.cells.keys(), ...since.keys()])) {
    if (name === ACCOUNT || definitions.get(name)?.trackChanges === false) continue;
    const cell = present.cells.get(name);
    const value = since.has(name) ? (since.get(name) ?? null) : (cell?.value ?? null);
    if (cell && !since.has(name) && cell.written.at <= at) {
      cells.set(name, cell);
    } else if (value !== null) {
      const change = before.get(name);
      if (!change?.source) ofUnknownOrigin.add(name);
      const writtenAt = change ? Date.parse(change.at) : present.createdAt;
      cells.set(name, { value, written: { at: writtenAt, source: change?.source ?? "" } });
    }
  }
  const accountId = since.has(ACCOUNT) ? since.get(ACCOUNT) : present.accountId;
  return {
    ofUnknownOrigin,
    profile: {
      ...present,
      cells,
      identifiers: {},
      firstSeenAt: undefined,
      lastSeenAt: undefined,
      lastKnownIp: undefined,
      sessions: {},
      accountId: typeof accountId === "string" ? accountId : undefined,
    },
  };
}
