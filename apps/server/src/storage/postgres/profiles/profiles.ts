import type { SubjectType } from "@muster/protocol";
import type { IdentifierChanges } from "../../../domain/identity/identifier-owners.js";
import type { ClaimedIdentifier } from "../../../domain/identity/identifiers.js";
import type { Merge } from "../../../domain/identity/merge.js";
import type { IdentifierKind, Profile } from "../../../domain/profiles/profile.js";
import type { Queryable, Transaction } from "../database.js";
import { PROFILE_TABLES } from "./profile-tables.js";
import type { RowPlace } from "./save-profiles.js";
import { parseProfile, type StoredProfile, serialiseProfile } from "./stored-profile.js";

interface ProfileRow {
  id: string;
  state: StoredProfile;
  version: number;
  account_id: string | null;
  /** The merged or erased account that the row names, while its users follow in pages. */
  relinked_from: string | null;
  /** The account that a record named, if that one was merged since. */
  account_origin: string | null;
}

export interface Wanted {
  ids: Iterable<string>;
  identifiers: readonly ClaimedIdentifier[];
}

export interface LoadedProfile {
  profile: Profile;
  version: number;
  /** Where its row is. It stays there until the transaction writes it. */
  place: RowPlace;
  /** Those of the wanted ids whose profiles were merged into this one. */
  formerIds: string[];
  /** The merged or erased account that the row of a user still names. Its account is the one that this leads to. */
  relinkedFrom: string | undefined;
}

const PARAMETERS: Record<IdentifierKind, number> = { external_id: 3, email: 4, anonymous_id: 5, domain: 6 };
const KINDS = Object.keys(PARAMETERS) as IdentifierKind[];

/**
 * The sets are given through a subquery, so that the planner does not see how large they are: for some thousand values
 * it would read whole tables. This way it looks each value up in the index.
 */
function selectWanted(subjectType: SubjectType): string {
  const { columns, rows, identifiers, owner } = PROFILE_TABLES[subjectType];
  const set = (parameter: number) => `any((select $${parameter}::text[])::text[])`;
  const owners = KINDS.map(
    (kind) => `
       union all
       select ${owner} from ${identifiers} where organization_id = $1 and kind = '${kind}' and value = ${set(PARAMETERS[kind])}`,
  );
  return `select ${columns}, p.ctid as place
     from ${rows}
     where p.organization_id = $1
       and p.id = any(array(
       select unnest($2::text[])
       union all
       select survivor_id from merges where organization_id = $1 and loser_id = ${set(2)}${owners.join("")}
       ))`;
}

const SELECT_WANTED: Record<SubjectType, string> = { user: selectWanted("user"), account: selectWanted("account") };

/** Loads the profiles with the given ids or identifiers, each once. Ids of merged profiles find the survivor. */
export async function loadProfiles(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
  { ids, identifiers }: Wanted,
): Promise<LoadedProfile[]> {
  const given = [...ids];
  if (given.length === 0 && identifiers.length === 0) return [];
  const valuesOf = (kind: IdentifierKind) => identifiers.flatMap((one) => (one.kind === kind ? [one.value] : []));
  const [former, { rows }] = await Promise.all([
    survivorsOf(database, organizationId, given),
    database.query<ProfileRow & { place: RowPlace }>(SELECT_WANTED[subjectType], [
      organizationId,
      given,
      ...KINDS.map(valuesOf),
    ]),
  ]);
  return rows.map((row) => ({
    profile: fromRow(subjectType, row),
    version: row.version,
    place: row.place,
    formerIds: former.filter(({ survivor_id }) => survivor_id === row.id).map(({ loser_id }) => loser_id),
    relinkedFrom: row.relinked_from ?? undefined,
  }));
}

function selectOne(subjectType: SubjectType): string {
  const { columns, rows } = PROFILE_TABLES[subjectType];
  return `select ${columns}
     from ${rows}
     where p.organization_id = $1
       and p.id = coalesce((select survivor_id from merges where organization_id = $1 and loser_id = $2), $2)`;
}

const SELECT_ONE: Record<SubjectType, string> = { user: selectOne("user"), account: selectOne("account") };

/** The profile with an id. The id of a merged profile finds the survivor. */
export async function findProfile(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
  id: string,
): Promise<Profile | undefined> {
  const { rows } = await database.prepared<ProfileRow>(SELECT_ONE[subjectType], [organizationId, id]);
  return rows[0] && fromRow(subjectType, rows[0]);
}

/** The next profiles of an organization after an id, in order. */
export async function pageProfiles(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
  afterId: string,
  limit: number,
): Promise<{ profile: Profile; version: number }[]> {
  const { rows } = await database.query<ProfileRow>(
    `select ${PROFILE_TABLES[subjectType].columns}
     from ${PROFILE_TABLES[subjectType].rows}
     where p.organization_id = $1 and p.id > $2
     order by p.id
     limit $3`,
    [organizationId, afterId, limit],
  );
  return rows.map((row) => ({ profile: fromRow(subjectType, row), version: row.version }));
}

/** The account is taken from the column and not from the state, because a merge of accounts updates only the column. */
function fromRow(
  subjectType: SubjectType,
  { id, state, account_id, account_origin, relinked_from }: ProfileRow,
): Profile {
  const profile = parseProfile(subjectType, id, state);
  profile.accountId = account_id ?? undefined;
  profile.accountOrigin = account_id === null ? undefined : (account_origin ?? relinked_from ?? undefined);
  return profile;
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

/** The ids of the profiles that were merged into the given ones, by the id of the survivor. */
export async function readFormerIds(
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await database.query<{ loser_id: string; survivor_id: string }>(
    `select loser_id, survivor_id
     from merges
     where organization_id = $1 and survivor_id = any($2::text[])
     order by loser_id`,
    [organizationId, ids],
  );
  const former = new Map<string, string[]>();
  for (const { loser_id, survivor_id } of rows) {
    const ids = former.get(survivor_id);
    if (ids) ids.push(loser_id);
    else former.set(survivor_id, [loser_id]);
  }
  return former;
}

/**
 * Stores the owners of identifiers. An identifier moves only from a profile that `from` names. If another one has it,
 * the statement fails with a data error: that owner was not loaded, so nothing has decided that it may lose it.
 */
export async function saveIdentifiers(
  tx: Transaction,
  subjectType: SubjectType,
  organizationId: string,
  { claimed, released }: IdentifierChanges,
): Promise<void> {
  const { identifiers: table, owner } = PROFILE_TABLES[subjectType];
  const left = [...released, ...claimed].flatMap(({ kind, value, from }) => from.map((id) => ({ kind, value, id })));
  const freed =
    left.length > 0 &&
    tx.query<{ kind: string; value: string; id: string; half: string | null }>(
      `delete from ${table} i
       using unnest($2::text[], $3::text[], $4::text[]) as r (kind, value, id)
       where i.organization_id = $1 and i.kind = r.kind and i.value = r.value and i.${owner} = r.id
       returning i.kind, i.value, i.${owner} as id, i.half_id as half`,
      [organizationId, left.map(({ kind }) => kind), left.map(({ value }) => value), left.map(({ id }) => id)],
    );
  const halves = claimed.some(({ half, isMoved }) => half !== undefined || isMoved)
    ? halvesOf(claimed, freed ? (await freed).rows : [])
    : undefined;
  const taken = halves
    ? tx.query(
        `insert into ${table} (organization_id, kind, value, ${owner}, half_id)
         select $1, kind, value, id, half_id
         from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as r (kind, value, id, half_id)`,
        [
          organizationId,
          claimed.map(({ kind }) => kind),
          claimed.map(({ value }) => value),
          claimed.map(({ id }) => id),
          halves,
        ],
      )
    : claimed.length > 0 &&
      tx.query(
        `insert into ${table} (organization_id, kind, value, ${owner})
       select $1, kind, value, id
       from unnest(string_to_array($2, ' '), $3::text[], string_to_array($4, ' ')) as r (kind, value, id)`,
        // Kinds and ids have no spaces. As arrays, each of them would be escaped.
        [
          organizationId,
          claimed.map(({ kind }) => kind).join(" "),
          claimed.map(({ value }) => value),
          claimed.map(({ id }) => id).join(" "),
        ],
      );
  await Promise.all([freed, taken]);
}

/**
 * The half that each identifier belongs to. One that a merge has moved stays with the half that has it, or with its owner
 * before, who is a half now.
 */
function halvesOf(
  claimed: IdentifierChanges["claimed"],
  freed: readonly { kind: string; value: string; id: string; half: string | null }[],
): (string | null)[] {
  const before = new Map(freed.map(({ kind, value, id, half }) => [`${kind} ${value}`, half ?? id]));
  return claimed.map(({ kind, value, id, half, isMoved }) => {
    const found = half ?? (isMoved ? before.get(`${kind} ${value}`) : undefined);
    return found === undefined || found === id ? null : found;
  });
}

/** Stores merges of profiles. When a survivor was merged itself, its earlier losers point to the new survivor. */
export async function saveMerges(
  tx: Transaction,
  subjectType: SubjectType,
  organizationId: string,
  merges: readonly Merge[],
): Promise<void> {
  if (merges.length === 0) return;
  await tx.query(
    `insert into merges (organization_id, loser_id, survivor_id, loser_state, survivor_state, cause)
     select $1, loser_id, survivor_id, loser_state::json, survivor_state::json, cause::json
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       as r (loser_id, survivor_id, loser_state, survivor_state, cause)
     on conflict do nothing`,
    [
      organizationId,
      merges.map(({ loser }) => loser.id),
      merges.map(({ survivor }) => survivor.id),
      merges.map(({ loserBefore }) => serialiseProfile(loserBefore)),
      merges.map(({ survivorBefore }) => serialiseProfile(survivorBefore)),
      merges.map(({ cause }) => JSON.stringify(cause)),
    ],
  );
  for (const { loser, survivor } of merges) {
    await tx.query("update merges set survivor_id = $3 where organization_id = $1 and survivor_id = $2", [
      organizationId,
      loser.id,
      survivor.id,
    ]);
  }
  await tx.query(
    `delete from ${PROFILE_TABLES[subjectType].profiles} where organization_id = $1 and id = any($2::text[])`,
    [organizationId, merges.map(({ loser }) => loser.id)],
  );
}

/** Writes one user as it is now, without a change for the question engine. */
export async function saveUserState(tx: Transaction, organizationId: string, user: Profile): Promise<void> {
  await tx.query("update users set state = $3::json where organization_id = $1 and id = $2", [
    organizationId,
    user.id,
    serialiseProfile(user),
  ]);
}

/** The ids of the users that are linked to any of the accounts. */
export async function findUsersOfAccounts(
  database: Queryable,
  organizationId: string,
  accountIds: readonly string[],
  limit: number,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    "select id from users where organization_id = $1 and account_id = any($2::text[]) limit $3",
    [organizationId, accountIds, limit],
  );
  return rows.map(({ id }) => id);
}

/** The accounts of those users who have one. */
export async function findAccountsOfUsers(
  database: Queryable,
  organizationId: string,
  userIds: readonly string[],
): Promise<{ id: string; accountId: string }[]> {
  const { rows } = await database.query<{ id: string; accountId: string }>(
    `select id, account_id as "accountId"
     from users
     where organization_id = $1 and id = any($2::text[]) and account_id is not null`,
    [organizationId, userIds],
  );
  return rows;
}
