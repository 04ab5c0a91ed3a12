import type { SubjectType } from "@muster/protocol";
import type { ClaimedIdentifier } from "../../../domain/identity/identifiers.js";
import type { Profile } from "../../../domain/identity/profile.js";
import type { Merge } from "../../../domain/identity/roster.js";
import type { Queryable, Transaction } from "../database.js";
import { eraseDeadLetters } from "../delivery/dead-letters.js";
import { eraseTraces } from "../delivery/traces.js";
import { parseProfile, type StoredProfile, serialiseProfile } from "./stored-profile.js";

interface Tables {
  profiles: string;
  columns: string;
  identifiers: string;
  owner: string;
}

const TABLES: Record<SubjectType, Tables> = {
  user: {
    profiles: "users",
    columns: "id, state, version, account_id",
    identifiers: "user_identifiers",
    owner: "user_id",
  },
  account: {
    profiles: "accounts",
    columns: "id, state, version, null as account_id",
    identifiers: "account_identifiers",
    owner: "account_id",
  },
};

interface ProfileRow {
  id: string;
  state: StoredProfile;
  version: number;
  account_id: string | null;
}

export interface Wanted {
  ids: Iterable<string>;
  identifiers: readonly ClaimedIdentifier[];
}

export interface LoadedProfile {
  profile: Profile;
  version: number;
  /** Ids among those wanted that the profile was known by before merges. */
  formerIds: string[];
}

/** The profiles that ids (former ones too) and identifiers stand for, each once. */
export async function loadProfiles(
  database: Queryable,
  kind: SubjectType,
  organizationId: string,
  { ids, identifiers }: Wanted,
): Promise<LoadedProfile[]> {
  const given = [...ids];
  if (given.length === 0 && identifiers.length === 0) return [];
  const { columns, profiles, identifiers: table, owner } = TABLES[kind];
  // `offset 0` keeps each lookup a lookup: left to itself the planner hashes whole tables for a few thousand rows.
  const [former, { rows }] = await Promise.all([
    survivorsOf(database, organizationId, given),
    database.query<ProfileRow>(
      `with wanted as (
         select unnest($2::text[]) as id
         union
         select survivor_id from merges where organization_id = $1 and loser_id = any($2::text[])
         union
         select owner.id
         from unnest($3::text[], $4::text[]) as named (kind, value)
         cross join lateral (
           select ${owner} as id
           from ${table}
           where organization_id = $1 and kind = named.kind and value = named.value
           offset 0
         ) owner
       )
       select profile.*
       from wanted
       cross join lateral (
         select ${columns}
         from ${profiles}
         where organization_id = $1 and id = wanted.id
         offset 0
       ) profile`,
      [organizationId, given, identifiers.map((identifier) => identifier.kind), identifiers.map(({ value }) => value)],
    ),
  ]);
  return rows.map((row) => ({
    profile: fromRow(kind, row),
    version: row.version,
    formerIds: former.filter(({ survivor_id }) => survivor_id === row.id).map(({ loser_id }) => loser_id),
  }));
}

/** All profiles of an organization, by id, a page at a time. */
export async function pageProfiles(
  database: Queryable,
  kind: SubjectType,
  organizationId: string,
  afterId: string,
  limit: number,
): Promise<{ profile: Profile; version: number }[]> {
  const { rows } = await database.query<ProfileRow>(
    `select ${TABLES[kind].columns}
     from ${TABLES[kind].profiles}
     where organization_id = $1 and id > $2
     order by id
     limit $3`,
    [organizationId, afterId, limit],
  );
  return rows.map((row) => ({ profile: fromRow(kind, row), version: row.version }));
}

/** The column says who the account is: when accounts merge, only it is written. */
function fromRow(kind: SubjectType, { id, state, account_id }: ProfileRow): Profile {
  return { ...parseProfile(kind, id, state), accountId: account_id ?? undefined };
}

async function survivorsOf(database: Queryable, organizationId: string, ids: string[]) {
  if (ids.length === 0) return [];
  const { rows } = await database.query<{ loser_id: string; survivor_id: string }>(
    `select loser_id, survivor_id
     from merges
     where organization_id = $1 and loser_id = any($2::text[])`,
    [organizationId, ids],
  );
  return rows;
}

export async function saveProfiles(
  tx: Transaction,
  kind: SubjectType,
  organizationId: string,
  profiles: readonly Profile[],
  version: number,
): Promise<void> {
  if (profiles.length === 0) return;
  const ids = profiles.map(({ id }) => id);
  // As one text cut at a character that JSON never holds: quoting every quote for an array costs more than the rest.
  const states = profiles.map(serialiseProfile).join("\u0001");
  if (kind === "account") {
    await tx.query(
      `insert into accounts (organization_id, id, state, version)
       select $1, id, state::json, $4
       from unnest($2::text[], string_to_array($3, chr(1))) as r (id, state)
       on conflict (organization_id, id) do update
       set state = excluded.state, version = excluded.version`,
      [organizationId, ids, states, version],
    );
    return;
  }
  await tx.query(
    `insert into users (organization_id, id, state, account_id, version)
     select $1, id, state::json, account_id, $5
     from unnest($2::text[], string_to_array($3, chr(1)), $4::text[]) as r (id, state, account_id)
     on conflict (organization_id, id) do update
     set state = excluded.state, account_id = excluded.account_id, version = excluded.version`,
    [organizationId, ids, states, profiles.map(({ accountId }) => accountId ?? null), version],
  );
}

export async function saveIdentifiers(
  tx: Transaction,
  kind: SubjectType,
  organizationId: string,
  changes: { claimed: { kind: string; value: string; id: string }[]; released: ClaimedIdentifier[] },
): Promise<void> {
  const { identifiers: table, owner } = TABLES[kind];
  const { claimed, released } = changes;
  const freed =
    released.length > 0 &&
    tx.query(
      `delete from ${table} i
       using unnest($2::text[], $3::text[]) as r (kind, value)
       where i.organization_id = $1 and i.kind = r.kind and i.value = r.value`,
      [organizationId, released.map((identifier) => identifier.kind), released.map(({ value }) => value)],
    );
  const taken =
    claimed.length > 0 &&
    tx.query(
      `insert into ${table} (organization_id, kind, value, ${owner})
       select $1, kind, value, id
       from unnest($2::text[], $3::text[], $4::text[]) as r (kind, value, id)
       on conflict (organization_id, kind, value) do update
       set ${owner} = excluded.${owner}`,
      [
        organizationId,
        claimed.map((identifier) => identifier.kind),
        claimed.map(({ value }) => value),
        claimed.map(({ id }) => id),
      ],
    );
  await Promise.all([freed, taken]);
}

/** Stores merges of profiles that were stored before; a survivor that was itself merged later passes its losers on. */
export async function saveMerges(
  tx: Transaction,
  kind: SubjectType,
  organizationId: string,
  merges: readonly Merge[],
): Promise<void> {
  if (merges.length === 0) return;
  await tx.query(
    `insert into merges (organization_id, loser_id, survivor_id, loser_state, survivor_state)
     select $1, loser_id, survivor_id, loser_state::json, survivor_state::json
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as r (loser_id, survivor_id, loser_state, survivor_state)
     on conflict do nothing`,
    [
      organizationId,
      merges.map(({ loser }) => loser.id),
      merges.map(({ survivor }) => survivor.id),
      merges.map(({ loserBefore }) => serialiseProfile(loserBefore)),
      merges.map(({ survivorBefore }) => serialiseProfile(survivorBefore)),
    ],
  );
  for (const { loser, survivor } of merges) {
    await tx.query("update merges set survivor_id = $3 where organization_id = $1 and survivor_id = $2", [
      organizationId,
      loser.id,
      survivor.id,
    ]);
  }
  await tx.query(`delete from ${TABLES[kind].profiles} where organization_id = $1 and id = any($2::text[])`, [
    organizationId,
    merges.map(({ loser }) => loser.id),
  ]);
}

/** Points the users of merged or erased accounts at the survivor, or at none. Returns whose link changed, and how. */
export async function relinkUsers(
  tx: Transaction,
  organizationId: string,
  from: readonly string[],
  to: readonly (string | null)[],
  version: number,
): Promise<{ id: string; from: string; to: string | null }[]> {
  if (from.length === 0) return [];
  const { rows } = await tx.query<{ id: string; from: string; to: string | null }>(
    `update users u
     set account_id = r.survivor, version = $4
     from unnest($2::text[], $3::text[]) as r (loser, survivor)
     where u.organization_id = $1 and u.account_id = r.loser
     returning u.id, r.loser as "from", r.survivor as "to"`,
    [organizationId, from, to, version],
  );
  return rows;
}

/**
 * Takes erased profiles out of every table that is searched by id, and remembers that they are gone. Returns the ids
 * that each was known by before merges: they are gone too.
 */
export async function eraseProfiles(
  tx: Transaction,
  kind: SubjectType,
  organizationId: string,
  erased: readonly { id: string; identifierKeys: readonly string[] }[],
): Promise<Map<string, string[]>> {
  const formerIds = new Map<string, string[]>();
  if (erased.length === 0) return formerIds;
  const ids = erased.map(({ id }) => id);
  const { profiles, identifiers, owner } = TABLES[kind];
  const { rows } = await tx.query<{ loser_id: string; survivor_id: string }>(
    `delete from merges
     where organization_id = $1 and survivor_id = any($2::text[])
     returning loser_id, survivor_id`,
    [organizationId, ids],
  );
  for (const { loser_id, survivor_id } of rows) {
    formerIds.set(survivor_id, [...(formerIds.get(survivor_id) ?? []), loser_id]);
  }
  const gone = [...ids, ...rows.map(({ loser_id }) => loser_id)];
  await tx.query(
    `insert into erased (organization_id, id, identifiers)
     select $1, id, array(select jsonb_array_elements_text(identifiers::jsonb))
     from unnest($2::text[], $3::text[]) as r (id, identifiers)
     on conflict do nothing`,
    [organizationId, gone, gone.map((_, index) => JSON.stringify(erased[index]?.identifierKeys ?? []))],
  );
  await tx.query("delete from sign_ins where organization_id = $1 and user_id = any($2::text[])", [
    organizationId,
    gone,
  ]);
  await tx.query("delete from comments where organization_id = $1 and object_id = any($2::text[])", [
    organizationId,
    gone,
  ]);
  await eraseDeadLetters(tx, organizationId, gone);
  await eraseTraces(tx, organizationId, gone);
  await tx.query(`delete from ${identifiers} where organization_id = $1 and ${owner} = any($2::text[])`, [
    organizationId,
    ids,
  ]);
  await tx.query(`delete from ${profiles} where organization_id = $1 and id = any($2::text[])`, [organizationId, ids]);
  return formerIds;
}

/** The users that are linked to any of the accounts. */
export async function findUsersOfAccounts(
  database: Queryable,
  organizationId: string,
  accountIds: readonly string[],
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    "select id from users where organization_id = $1 and account_id = any($2::text[])",
    [organizationId, accountIds],
  );
  return rows.map(({ id }) => id);
}
