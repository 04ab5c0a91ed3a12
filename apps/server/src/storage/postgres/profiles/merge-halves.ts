import { type SubjectType, typeOfId } from "@muster/protocol";
import type { Half, Undecided } from "../../../domain/identity/halves.js";
import type { ClaimedIdentifier } from "../../../domain/identity/identifiers.js";
import type { Cell, Identifiers } from "../../../domain/profiles/profile.js";
import type { Queryable, Transaction } from "../database.js";
import { PROFILE_TABLES } from "./profile-tables.js";
import { parseProfile, type StoredProfile, serialiseProfile } from "./stored-profile.js";

interface StoredUndecided {
  cells: [string, Cell | null][];
  identifiers: string[];
  link?: NonNullable<Undecided["link"]>;
  events: number;
}

interface HalfRow {
  id: string;
  merged_into: string | null;
  merged_as: number;
  state: StoredProfile;
  undecided: StoredUndecided | null;
}

export interface LoadedHalf {
  half: Half;
  /** Those of the wanted identifiers that belong to it, and not to the survivor of its merges. */
  identifiers: ClaimedIdentifier[];
}

export interface WantedHalves {
  /** The ids of merged subjects, and of halves that are named themselves. */
  ids: readonly string[];
  identifiers: readonly ClaimedIdentifier[];
}

/** A subject of more halves is not split any more. They are all in memory while a merge is undone. */
export const MAX_HALVES = 2_000;

const COLUMNS = "h.id, h.merged_into, h.merged_as, h.state, h.undecided";

function selectWanted(subjectType: SubjectType): string {
  const { identifiers } = PROFILE_TABLES[subjectType];
  return `with recursive named as materialized (
       select i.kind, i.value, i.half_id
       from unnest($2::text[], $3::text[]) as r (kind, value),
         lateral (
           select kind, value, half_id
           from ${identifiers}
           where organization_id = $1 and kind = r.kind and value = r.value and half_id is not null
           offset 0
         ) i
     ), chain (id) as (
       (select half_id from named union select unnest($4::text[]))
       union
       select h.merged_into
       from chain c
         join merge_halves h on h.organization_id = $1 and h.id = c.id
       where h.merged_into is not null
     )
     select ${COLUMNS},
       (select json_agg(json_build_object('kind', n.kind, 'value', n.value)) from named n where n.half_id = h.id) as named
     from chain c
       join merge_halves h on h.organization_id = $1 and h.id = c.id`;
}

const SELECT_WANTED: Record<SubjectType, string> = { user: selectWanted("user"), account: selectWanted("account") };

/** Loads halves by their ids and identifiers, and the halves that these were merged into. */
export async function loadHalves(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
  { ids, identifiers }: WantedHalves,
): Promise<LoadedHalf[]> {
  const { rows } = await database.query<HalfRow & { named: ClaimedIdentifier[] | null }>(SELECT_WANTED[subjectType], [
    organizationId,
    identifiers.map(({ kind }) => kind),
    identifiers.map(({ value }) => value),
    ids,
  ]);
  return rows.map((row) => ({ half: halfIn(subjectType, row), identifiers: row.named ?? [] }));
}

/** All halves of a subject, each with its identifiers; at most `limit` of them. */
export async function loadHalvesOf(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
  subjectId: string,
  limit: number,
): Promise<LoadedHalf[]> {
  const { rows } = await database.query<HalfRow>(
    `select ${COLUMNS} from merge_halves h where h.organization_id = $1 and h.subject_id = $2 limit $3`,
    [organizationId, subjectId, limit],
  );
  return rows.map((row) => {
    const half = halfIn(subjectType, row);
    const identifiers = identifiersIn(half.profile.identifiers);
    return { half, identifiers: half.profile.id === subjectId ? [] : identifiers };
  });
}

/** A page of the halves of all users or accounts, in the order of their ids. `last` is undefined after the last page. */
export async function pageHalves(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
  afterId: string,
  limit: number,
): Promise<{ halves: Half[]; last: string | undefined }> {
  const { rows } = await database.query<HalfRow>(
    `select ${COLUMNS}
     from merge_halves h
     where h.organization_id = $1 and h.id > $2
     order by h.id
     limit $3`,
    [organizationId, afterId, limit],
  );
  // Users and accounts are in one table. Their ids tell them apart.
  const halves = rows.filter(({ id }) => typeOfId(id) === subjectType).map((row) => halfIn(subjectType, row));
  return { halves, last: rows.at(-1)?.id };
}

/** Saves what is in halves. To whom they belong stays as it is. */
export async function saveHalfStates(tx: Transaction, organizationId: string, halves: readonly Half[]): Promise<void> {
  if (halves.length === 0) return;
  await tx.query(
    `update merge_halves h
     set state = r.state::json, undecided = r.undecided::json
     from unnest($2::text[], $3::text[], $4::text[]) as r (id, state, undecided)
     where h.organization_id = $1 and h.id = r.id`,
    [
      organizationId,
      halves.map(({ profile }) => profile.id),
      halves.map(({ profile }) => serialiseProfile(profile)),
      halves.map(({ undecided }) => serialiseUndecided(undecided)),
    ],
  );
}

/** By the id of a half: the half that it was merged into. */
export async function readHalfParents(
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await database.query<{ id: string; merged_into: string }>(
    `select id, merged_into
     from merge_halves
     where organization_id = $1 and id = any($2::text[]) and merged_into is not null`,
    [organizationId, ids],
  );
  return new Map(rows.map((row) => [row.id, row.merged_into]));
}

export interface HalfChanges {
  touched: readonly { half: Half; subjectId: string }[];
  removed: readonly string[];
  /** All halves of one subject belong to another from now on. */
  moved: readonly { from: string; to: string }[];
}

export async function saveHalves(
  tx: Transaction,
  organizationId: string,
  { touched, removed, moved }: HalfChanges,
): Promise<void> {
  for (const { from, to } of moved) {
    await tx.query("update merge_halves set subject_id = $3 where organization_id = $1 and subject_id = $2", [
      organizationId,
      from,
      to,
    ]);
  }
  if (removed.length > 0) {
    await tx.query("delete from merge_halves where organization_id = $1 and id = any($2::text[])", [
      organizationId,
      removed,
    ]);
  }
  if (touched.length === 0) return;
  await tx.query(
    `insert into merge_halves (organization_id, id, subject_id, merged_into, merged_as, state, undecided)
     select $1, id, subject_id, merged_into, merged_as, state::json, undecided::json
     from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[])
       as r (id, subject_id, merged_into, merged_as, state, undecided)
     on conflict (organization_id, id) do update
     set subject_id = excluded.subject_id, merged_into = excluded.merged_into, merged_as = excluded.merged_as,
         state = excluded.state, undecided = excluded.undecided`,
    [
      organizationId,
      touched.map(({ half }) => half.profile.id),
      touched.map(({ subjectId }) => subjectId),
      touched.map(({ half }) => half.mergedInto ?? null),
      touched.map(({ half }) => half.mergedAs),
      touched.map(({ half }) => serialiseProfile(half.profile)),
      touched.map(({ half }) => serialiseUndecided(half.undecided)),
    ],
  );
}

/** The counts of these halves are not known any more. */
export async function forgetEventCounts(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `update merge_halves
     set state = (state::jsonb - 'n')::json
     where organization_id = $1 and id = any($2::text[])`,
    [organizationId, ids],
  );
}

function halfIn(subjectType: SubjectType, { id, merged_into, merged_as, state, undecided }: HalfRow): Half {
  return {
    profile: parseProfile(subjectType, id, state),
    mergedInto: merged_into ?? undefined,
    mergedAs: merged_as,
    undecided: parseUndecided(undecided ?? { cells: [], identifiers: [], events: 0 }),
  };
}

function parseUndecided({ cells, identifiers, link, events }: StoredUndecided): Undecided {
  return {
    cells: new Map(cells.map(([name, cell]) => [name, cell ?? undefined])),
    identifiers: new Set(identifiers),
    link,
    events,
  };
}

function serialiseUndecided({ cells, identifiers, link, events }: Undecided): string | null {
  if (cells.size + identifiers.size + events === 0 && !link) return null;
  const stored: StoredUndecided = {
    cells: [...cells].map(([name, cell]) => [name, cell ?? null]),
    identifiers: [...identifiers],
    ...(link ? { link } : {}),
    events,
  };
  return JSON.stringify(stored);
}

function identifiersIn(identifiers: Identifiers): ClaimedIdentifier[] {
  const kinds = Object.entries(identifiers) as [ClaimedIdentifier["kind"], string[]][];
  return kinds.flatMap(([kind, values]) => values.map((value) => ({ kind, value })));
}
