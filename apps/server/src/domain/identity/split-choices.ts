import type { Half, Halves } from "./halves.js";
import { type ClaimedIdentifier, identifierKey } from "./identifiers.js";

/** What a person gives to the one that is split off, of that which cannot be decided. The rest stays with the survivor. */
export interface SplitChoices {
  /** Names of attributes. */
  attributes?: readonly string[];
  identifiers?: readonly ClaimedIdentifier[];
  /** The link to the account. */
  account?: boolean;
  events?: boolean;
}

/**
 * Moves what was chosen to the half that is split off. A value that moves leaves the one behind that the survivor had before.
 * Returns the ids of the halves whose undecided events move too.
 */
export function splitChosen(halves: Halves, subjectId: string, id: string, choices: SplitChoices): string[] {
  const to = halves.find(id)!;
  const above = halves.above(id);
  for (const from of above) {
    for (const name of choices.attributes ?? []) moveCell(from, to, name);
    for (const identifier of choices.identifiers ?? []) moveIdentifier(halves, subjectId, from, to, identifier);
    if (choices.account) moveLink(from, to);
  }
  const givers = choices.events ? above.filter(({ undecided }) => undecided.events > 0) : [];
  for (const { profile, undecided } of givers) {
    // Nobody has counted these by their names.
    profile.eventCounts = undefined;
    to.profile.eventCounts = undefined;
    to.profile.hasEvents = true;
    undecided.events = 0;
  }
  return givers.map(({ profile }) => profile.id);
}

function moveCell({ profile, undecided }: Half, to: Half, name: string): void {
  const cell = profile.cells.get(name);
  if (!cell || !undecided.cells.has(name)) return;
  const before = undecided.cells.get(name);
  if (before) profile.cells.set(name, before);
  else profile.cells.delete(name);
  undecided.cells.delete(name);
  to.profile.cells.set(name, cell);
}

function moveIdentifier(
  halves: Halves,
  subjectId: string,
  { profile, undecided }: Half,
  to: Half,
  identifier: ClaimedIdentifier,
): void {
  const { kind, value } = identifier;
  if (!undecided.identifiers.delete(identifierKey(kind, value))) return;
  const rest = (profile.identifiers[kind] ?? []).filter((other) => other !== value);
  if (rest.length > 0) profile.identifiers[kind] = rest;
  else delete profile.identifiers[kind];
  to.profile.identifiers[kind] = [...(to.profile.identifiers[kind] ?? []), value];
  halves.assign(identifier, to.profile.id === subjectId ? undefined : to.profile.id);
}

function moveLink({ profile, undecided }: Half, to: Half): void {
  if (!undecided.link) return;
  const { accountId, linkedAt, accountOrigin } = profile;
  Object.assign(to.profile, { accountId, linkedAt, accountOrigin });
  Object.assign(profile, undecided.link);
  undecided.link = undefined;
}
