import type { SubjectType } from "@muster/protocol";
import type { Profile } from "../../../domain/profiles/profile.js";
import type { Transaction } from "../database.js";
import { LeaseLost } from "../leases/lease-lost.js";
import { serialiseProfile } from "./stored-profile.js";

/** Where PostgreSQL keeps a row. It changes with every update of the row. */
export type RowPlace = string & { readonly isRowPlace: unique symbol };

// Sets are sent as one text each, because as an array every value would be escaped. JSON never contains the separator of
// states, and ids are hexadecimal.
const INSERT: Record<SubjectType, string> = {
  user: `insert into users (organization_id, id, state, account_id, version)
     select $1, id, state::json, account_id, $2
     from unnest(string_to_array($3, ' '), string_to_array($4, chr(1)), string_to_array($5, ' ', '-'))
       as r (id, state, account_id)`,
  account: `insert into accounts (organization_id, id, state, version)
     select $1, id, state::json, $2
     from unnest(string_to_array($3, ' '), string_to_array($4, chr(1))) as r (id, state)`,
};

// A row that is found by its place needs no look into an index.
const UPDATE: Record<SubjectType, string> = {
  user: `update users u
     set state = r.state::json, account_id = r.account_id, version = $2
     from unnest(string_to_array($3, ' '), string_to_array($4, chr(1)), string_to_array($5, ' ', '-'),
       string_to_array($6, ' ')) as r (id, state, account_id, place)
     where u.ctid = r.place::tid and u.organization_id = $1 and u.id = r.id`,
  account: `update accounts a
     set state = r.state::json, version = $2
     from unnest(string_to_array($3, ' '), string_to_array($4, chr(1)), string_to_array($5, ' '))
       as r (id, state, place)
     where a.ctid = r.place::tid and a.organization_id = $1 and a.id = r.id`,
};

/** The account that the row of a user names, and the one that it leads to, while the users of the first follow in pages. */
export interface OldLink {
  from: string;
  to: string | undefined;
}

/**
 * Stores profiles. Returns how long they are as JSON. `places` has the rows of the profiles that this transaction has
 * loaded, by id; all others are new. Throws when a row is not where it was loaded from: another process has written it.
 * `origins` are the accounts that records named, of loaded users whose account was merged since.
 * A user of `oldLinks` with an unchanged account keeps the old link: connectors are told of the new one when it follows.
 */
export async function saveProfiles(
  tx: Transaction,
  subjectType: SubjectType,
  organizationId: string,
  profiles: readonly Profile[],
  places: ReadonlyMap<string, RowPlace>,
  version: number,
  oldLinks: ReadonlyMap<string, OldLink> = new Map(),
  origins: ReadonlyMap<string, string> = new Map(),
): Promise<number> {
  const linkOf = ({ id, accountId }: Profile) => {
    const old = oldLinks.get(id);
    return (old && old.to === accountId ? old.from : accountId) ?? "-";
  };
  const values = (some: readonly Profile[], states: string) => [
    organizationId,
    version,
    some.map(({ id }) => id).join(" "),
    states,
    ...(subjectType === "user" ? [some.map(linkOf).join(" ")] : []),
  ];
  const stored = profiles.filter(({ id }) => places.has(id));
  const added = profiles.filter(({ id }) => !places.has(id));
  const storedStates = stored.map(serialiseProfile).join("\u0001");
  const addedStates = added.map(serialiseProfile).join("\u0001");
  const relinked = profiles.filter(({ id, accountOrigin }) => accountOrigin !== origins.get(id));
  const [updated] = await Promise.all([
    stored.length > 0 &&
      tx.query(UPDATE[subjectType], [
        ...values(stored, storedStates),
        stored.map(({ id }) => places.get(id)!).join(" "),
      ]),
    added.length > 0 && tx.query(INSERT[subjectType], values(added, addedStates)),
    subjectType === "user" && relinked.length > 0 && saveOrigins(tx, organizationId, relinked),
  ]);
  if (updated && updated.rowCount !== stored.length) throw new LeaseLost(`the apply stage of ${organizationId}`);
  return storedStates.length + addedStates.length;
}

/** Stores the accounts that records named, of users whose account is another one by a merge. */
async function saveOrigins(tx: Transaction, organizationId: string, users: readonly Profile[]): Promise<void> {
  await tx.query(
    `update users u
     set account_origin = r.origin
     from unnest($2::text[], $3::text[]) as r (id, origin)
     where u.organization_id = $1 and u.id = r.id`,
    [organizationId, users.map(({ id }) => id), users.map(({ accountOrigin }) => accountOrigin ?? null)],
  );
}
