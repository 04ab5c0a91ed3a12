import type { SubjectType } from "@muster/protocol";
import type { ClaimedIdentifier } from "../../../domain/identity/identifiers.js";
import type { Queryable, Transaction } from "../database.js";
import { PROFILE_TABLES } from "./profile-tables.js";

/** An identifier that was taken from a profile, with the id that the profile had then. */
export interface FormerIdentifier extends ClaimedIdentifier {
  ownerId: string;
}

export async function saveFormerIdentifiers(
  tx: Transaction,
  organizationId: string,
  identifiers: readonly FormerIdentifier[],
): Promise<void> {
  if (identifiers.length === 0) return;
  await tx.query(
    `insert into former_identifiers (organization_id, owner_id, kind, value)
     select $1, owner_id, kind, value
     from unnest($2::text[], $3::text[], $4::text[]) as r (owner_id, kind, value)
     on conflict do nothing`,
    [
      organizationId,
      identifiers.map(({ ownerId }) => ownerId),
      identifiers.map(({ kind }) => kind),
      identifiers.map(({ value }) => value),
    ],
  );
}

/** The identifiers that were taken from profiles with the given ids, and that no profile has now. */
export async function loadFormerIdentifiers(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
  ownerIds: readonly string[],
): Promise<FormerIdentifier[]> {
  if (ownerIds.length === 0) return [];
  const { identifiers } = PROFILE_TABLES[subjectType];
  const { rows } = await database.query<FormerIdentifier>(
    `select owner_id as "ownerId", kind, value
     from former_identifiers f
     where organization_id = $1 and owner_id = any($2::text[])
       and not exists (
         select from ${identifiers} i
         where i.organization_id = f.organization_id and i.kind = f.kind and i.value = f.value
       )`,
    [organizationId, ownerIds],
  );
  return rows;
}
